import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

export interface TokenFormProps {
  /** True if the server has refused the previous token. */
  readonly isRefused: boolean;
  readonly onEnter: (token: string) => void;
}

/** Asks for the token that the server requires. */
export function TokenForm({ isRefused, onEnter }: TokenFormProps): VNode {
  const [token, setToken] = useState('');
  return (
    <main class="token">
      <h1>Shallot</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() !== '') onEnter(token.trim());
        }}
      >
        <div class="field">
          <label for="token">Token of this server</label>
          <p class="hint" id="token-hint">
            It is kept until this tab is closed.
          </p>
          <input
            id="token"
            type="password"
            autocomplete="off"
            autofocus
            aria-describedby="token-hint"
            value={token}
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
        </div>
        {isRefused && <p role="alert">The server has refused this token.</p>}
        <div class="actions">
          <button type="submit" class="primary">
            Enter
          </button>
        </div>
      </form>
    </main>
  );
}
