import { useEffect, useState } from 'preact/hooks';

/**
 * Returns the id of the session in the address of the page, and a function that changes it. The id is undefined for a
 * new session.
 */
export function usePlace(): [string | undefined, (sessionId: string | undefined) => void] {
  const [sessionId, setSessionId] = useState(readPlace);
  useEffect(() => {
    const read = (): void => setSessionId(readPlace());
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  const go = (next: string | undefined): void => {
    history.pushState(null, '', next === undefined ? location.pathname : `#${encodeURIComponent(next)}`);
    setSessionId(next);
  };
  return [sessionId, go];
}

function readPlace(): string | undefined {
  const text = location.hash.slice(1);
  if (text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    // The page itself never writes such an address. The server will not find a session with this name.
    return text;
  }
}
