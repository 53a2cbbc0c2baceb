import { defineTool, ShallotError, type RunInfo, type Tool } from '@shallot/core';
import { textPart, type Redactor } from '@shallot/core/plugin';

import { editMemoryFile, type MemoryEdit } from './edit-memory-file.ts';
import type { Settings } from './options.ts';

/**
 * Returns the tool that edits the sources. `touched` is called after each use, because the loaded memory may then be
 * out of date.
 */
export function memoryTool(
  { toolName, sources, maxBytes }: Settings,
  redactor: Redactor,
  touched: (run: RunInfo) => void,
): Tool {
  return defineTool({
    name: toolName,
    description:
      'Edits a memory file: replaces a passage of it (old_text by new_text), or without old_text adds new_text to its end. ' +
      'What the file says then stands in your instructions from the next step on. Never write credentials into it.',
    input: {
      type: 'object',
      properties: {
        path: { type: 'string', enum: sources, description: 'The memory file.' },
        old_text: {
          type: 'string',
          description:
            'A passage exactly as it stands in the file, where it occurs once. Leave it out to add to the end.',
        },
        new_text: { type: 'string', description: 'What stands in its place; empty to remove it.' },
      },
      required: ['path', 'new_text'],
      additionalProperties: false,
    },
    effect: 'idempotent',
    async execute(input, context) {
      const { run } = context;
      // The schema allows no other arguments.
      const edit = input as unknown as MemoryEdit;
      checkForSecrets(edit, redactor);
      try {
        const made = await editMemoryFile(edit, maxBytes, context);
        run.event('edited', made);
        run.log.info(made, 'a memory file was edited');
        return { content: [textPart(`${made.path} is changed.`)], data: { ...made } };
      } finally {
        touched(run);
      }
    },
  });
}

/**
 * Rejects text that looks like a credential. The model was told never to store one, but may try.
 * @throws `memory/EDIT_REFUSED`
 */
function checkForSecrets({ path, new_text: text }: MemoryEdit, redactor: Redactor): void {
  if (redactor.text(text) === text) return;
  throw new ShallotError('memory/EDIT_REFUSED', {
    message: `${JSON.stringify(path)} was not changed: something in new_text looks like a password, key or token. Write where it is kept instead.`,
  });
}
