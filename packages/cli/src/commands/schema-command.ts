import { readFileSync } from 'node:fs';

import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { describeConfig, schemaFile, schemaLink, schemaText, writeSchema } from '../project/schema-file.ts';
import { noteWarning } from '../rendering/note-failure.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { shortPath } from '../terminal/place.ts';
import type { Screen } from '../terminal/screen.ts';

export interface SchemaCommandOptions extends AgentCommandOptions {
  readonly stdout?: boolean;
}

/** `shallot schema`: writes the JSON Schema of the config for editors, with the options of the installed plugins. */
export async function schemaCommand(options: SchemaCommandOptions, screen: Screen): Promise<void> {
  const described = await describeConfig(options, screen).catch((cause: unknown) => {
    throw new CommandFailure(exitStatus.usage, { cause });
  });
  for (const warning of described.warnings) noteWarning(warning, screen);
  if (options.stdout) {
    await screen.line(schemaText(described.schema).trimEnd());
    return;
  }
  await screen.line(shortPath(writeSchema(described), screen.io.cwd));
  const link = schemaLink(described.path);
  if (link !== undefined && !readFileSync(described.path, 'utf8').includes(schemaFile)) {
    screen.note(`For your editor, add this line to ${shortPath(described.path, screen.io.cwd)}:\n${link}`);
  }
}
