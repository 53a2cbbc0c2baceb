import type { JsonValue, ToolMessage } from '@shallot/core';
import type { VNode } from 'preact';

import type { ChildActivity } from '../state/activity.ts';
import { CodeBlock } from './markdown.tsx';

/** The state of a call. */
export type CallState = 'running' | 'waiting' | 'done' | 'failed' | 'denied' | 'open';

const words: Readonly<Record<CallState, string>> = {
  running: 'running',
  waiting: 'waits for an answer',
  done: 'done',
  failed: 'failed',
  denied: 'not executed',
  open: 'no result',
};

const marks: Readonly<Record<CallState, string>> = {
  running: '◌',
  waiting: '?',
  done: '✓',
  failed: '✗',
  denied: '⊘',
  open: '–',
};

export interface CallCardProps {
  readonly name: string;
  readonly input: JsonValue;
  readonly state: CallState;
  readonly result?: ToolMessage | undefined;
  readonly progress?: JsonValue | undefined;
  readonly inside?: readonly ChildActivity[];
}

/** A tool call. A click on its line shows the arguments and the result. */
export function CallCard({ name, input, state, result, progress, inside = [] }: CallCardProps): VNode {
  return (
    <details class={`call ${state}`}>
      <summary>
        <span class="mark" aria-hidden="true">
          {marks[state]}
        </span>
        <code>{name}</code>
        <span class="brief">{briefOf(input)}</span>
        <span class="state">{words[state]}</span>
      </summary>
      <h3>Arguments</h3>
      <CodeBlock text={JSON.stringify(input, null, 2)} />
      {result && (
        <>
          <h3>Result</h3>
          <CodeBlock text={resultOf(result)} />
        </>
      )}
      {progress !== undefined && result === undefined && (
        <p class="progress">{typeof progress === 'string' ? progress : JSON.stringify(progress)}</p>
      )}
      {inside.map((child, index) => (
        <Child key={index} {...child} />
      ))}
    </details>
  );
}

function Child({ agent, text, calls, isOver }: ChildActivity): VNode {
  return (
    <section class="child" aria-label={`Agent ${agent}`}>
      <h3>
        {agent} <span class="state">{isOver ? 'done' : 'running'}</span>
      </h3>
      {calls.length > 0 && (
        <ul>
          {calls.map(({ id, name, state }) => (
            <li key={id} class={state}>
              <span aria-hidden="true">{marks[state]}</span> <code>{name}</code>{' '}
              <span class="state">{words[state]}</span>
            </li>
          ))}
        </ul>
      )}
      {text !== '' && <p>{text}</p>}
    </section>
  );
}

/** Returns the values of some arguments in one line. */
function briefOf(input: JsonValue): string {
  const values = typeof input === 'object' && input !== null ? Object.values(input) : [input];
  const texts = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return texts.join(' · ').replaceAll(/\s+/g, ' ').slice(0, 120);
}

function resultOf({ content, denied }: ToolMessage): string {
  const reason = denied?.reason === undefined ? [] : [denied.reason];
  const parts = content.map((part) =>
    part.type === 'text' ? part.text : `[${part.mediaType}${part.name === undefined ? '' : ` ${part.name}`}]`,
  );
  return [...(parts.length > 0 ? parts : reason)].join('\n');
}
