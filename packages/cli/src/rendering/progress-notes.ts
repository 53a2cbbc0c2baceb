import { textOf, type AgentEvent, type JsonValue, type RunResult, type ToolMessage } from '@shallot/core';
import type { Source } from '@shallot/core/model';
import { toolCallsOf, visible } from '@shallot/core/plugin';

import { count } from '../terminal/count.ts';
import { oneLine } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { renderError } from './render-error.ts';
import { summarize } from './summarize.ts';
import { warningNotes } from './warning-notes.ts';

/** What is said of a run on stderr; with `quiet` only warnings. What it waits for is asked, or listed, when it has ended. */
export interface ProgressNotes {
  event(event: AgentEvent): void;
  end(result: RunResult): void;
}

export interface NotesOptions {
  readonly quiet: boolean;
  /** Questions are asked when the run pauses: they need no note, and the pause is no end. Default: false. */
  readonly asks?: boolean;
  /** A run is one of many in the same session: neither its steps nor the session are news. Default: false. */
  readonly inChat?: boolean;
}

const maxProgressLines = 10;

/** Notes in the form of one line for each step, tool call and plugin event, and one for the run's end. */
export function progressNotes(
  screen: Screen,
  { quiet, asks = false, inChat = false }: NotesOptions,
): ProgressNotes {
  const { bold, cyan, dim, red, yellow } = screen.paintNotes;
  const startedAt = performance.now();
  // A call that waited for an answer starts again.
  const toolCalls = new Set<string>();

  const progress = (line: string): void => {
    if (!quiet) screen.note(line);
  };
  const warn = (line: string): void => screen.note(`${yellow('warning')} ${screen.redactor.text(line)}`);
  const warnings = warningNotes(warn, (error) => renderError(error, { cwd: screen.io.cwd }));

  return {
    event(event) {
      warnings.event(event);
      switch (event.type) {
        case 'step-start':
          return inChat ? undefined : progress(dim(`step ${event.step}`));
        case 'message':
          // On a terminal the text of a step that goes on was seen on stdout; elsewhere only the final text goes there.
          if (!screen.live && toolCallsOf(event.message).length > 0) {
            for (const line of linesOf(textOf(event.message))) progress(dim(`  ${oneLine(line)}`));
          }
          return;
        case 'part-end':
          return event.part?.type === 'provider-call'
            ? progress(
                `${cyan('→')} ${oneLine(event.part.name)} ${dim(`${compact(event.part.input)} (by the provider)`)}`,
              )
            : undefined;
        case 'tool-start':
          toolCalls.add(event.callId);
          return progress(`${cyan('→')} ${titled(event)} ${dim(compact(event.input))}`);
        case 'tool-progress':
          for (const line of progressLines(event.data)) progress(dim(`  ${line}`));
          return;
        case 'tool-end':
          return progress(`${event.message.isError ? red('✗') : cyan('←')} ${toolEnd(event.message)}`);
        case 'plugin':
          return progress(
            `${bold(event.plugin)} ${event.name} ${dim(screen.redactor.text(fields(event.data)))}`.trimEnd(),
          );
        case 'interrupt':
          return asks
            ? undefined
            : progress(
                `${yellow('asks')} ${summarize(event.interrupt)} (asked by ${event.interrupt.plugin})`,
              );
        default:
          return undefined;
      }
    },
    end(result) {
      // What comes too late to fail the run stands in its result, too.
      warnings.end(result.errors.filter((error) => !screen.uncaught.knows(error)));
      if (result.outcome === 'interrupted' && asks) return;
      // Of every other answer that is not whole the core has warned.
      if (result.stopReason === 'limit') {
        warn(`the run was stopped by a limit after ${count(result.steps, 'step')}`);
      }
      for (const source of result.sources) progress(dim(`source: ${named(source)}`));
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      const tokens = result.usage.total > 0 ? `, ${count(result.usage.total, 'token')}` : '';
      const did = `${count(result.steps, 'step')}, ${count(toolCalls.size, 'tool call')}${tokens}, ${seconds} s`;
      progress(dim(inChat ? did : `${result.outcome}: ${did}; session ${visibleLine(result.sessionId)}`));
    },
  };
}

function named({ title, url, name, id }: Source): string {
  const parts = [title, url ?? name].filter((part) => part !== undefined);
  return oneLine(visible(parts.length === 0 ? id : parts.join(' ')), 300);
}

/** A tool by its title, with the name that its other lines have. */
function titled({ name, title }: AgentEvent & { type: 'tool-start' }): string {
  return title === undefined ? name : `${oneLine(visible(title), 60)} (${name})`;
}

function toolEnd(message: ToolMessage): string {
  const text = textOf(message);
  if (message.denied) {
    const reason = message.denied.reason === undefined ? '' : `: ${oneLine(message.denied.reason)}`;
    return `${message.name} was denied by ${message.denied.by}${reason}`;
  }
  return message.isError
    ? `${message.name} ${oneLine(text)}`
    : `${message.name} ${count(text.length, 'character')}`;
}

/** `key=value` for an object, so that one plugin's events line up; JSON for anything else. */
function fields(data: JsonValue): string {
  if (typeof data === 'string') return oneLine(data);
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return compact(data);
  return oneLine(
    Object.entries(data)
      .map(
        ([key, value]) => `${key}=${typeof value === 'string' && !/\s/.test(value) ? value : compact(value)}`,
      )
      .join(' '),
    300,
  );
}

/** What a program prints by its lines, of many the last ones; JSON for anything else. */
function progressLines(data: JsonValue): string[] {
  const isOutput = typeof data === 'object' && data !== null && 'output' in data;
  const text = isOutput && Object.keys(data).length === 1 ? data.output : data;
  if (typeof text !== 'string') return [compact(data)];
  const lines = linesOf(text).map((line) => oneLine(visible(line)));
  const left = lines.length - maxProgressLines;
  return left <= 0 ? lines : [`… ${count(left, 'line')}`, ...lines.slice(-maxProgressLines)];
}

function compact(value: JsonValue): string {
  return oneLine(visible(JSON.stringify(value) ?? ''));
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}
