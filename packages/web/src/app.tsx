import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';

import { Chat } from './chat.tsx';
import { TokenForm } from './components/token-form.tsx';
import type { Connection } from './state/connection.ts';
import { useLive } from './state/use-live.ts';

/** The page. It shows the form for a token if the server requires one, otherwise the chat. */
export function App({ connection }: { readonly connection: Connection }): VNode | null {
  const { access } = useLive(connection.view);
  useEffect(() => void connection.open(), [connection]);
  if (access === 'unknown') return null;
  if (access === 'granted') return <Chat connection={connection} />;
  return <TokenForm isRefused={access === 'refused'} onEnter={(token) => void connection.enter(token)} />;
}
