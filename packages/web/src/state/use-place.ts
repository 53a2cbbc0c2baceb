import { useEffect, useState } from 'preact/hooks';

/** Returns the session in the address of the page, and the function that changes it; undefined for a new one. */
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
    // An address that no page has made: a session of this name is not found.
    return text;
  }
}
