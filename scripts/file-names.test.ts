import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

import { expect, it } from 'vitest';

/** Named for a whole that none of their exports is named for. A new file gets the name of its export. */
const named = new Set([
  'packages/cli/src/chat/message-writer.ts',
  'packages/cli/src/terminal/sized-output.ts',
  'packages/cli/src/terminal/terminal-width.ts',
  'packages/core/src/base/json-schema/references.ts',
  'packages/core/src/files/file-errors.ts',
  'packages/core/src/hooks/hooks-view.ts',
  'packages/core/src/hooks/onion-layer.ts',
  'packages/core/src/hooks/order.ts',
  'packages/core/src/hooks/plugin-context.ts',
  'packages/core/src/ready-made.ts',
  'packages/core/src/run/hook-caller.ts',
  'packages/core/src/run/model/model-request.ts',
  'packages/core/src/run/model/model-response.ts',
  'packages/core/src/run/offered-tools.ts',
  'packages/core/src/run/tools/call-output.ts',
  'packages/core/src/run/tools/required-tools.ts',
  'packages/core/src/sessions/stores/commit-checks.ts',
  'packages/core/src/sessions/content/journal-keys.ts',
  'packages/core/src/sqlite/deleted-revisions.ts',
  'packages/core/src/sqlite/message-rows.ts',
  'packages/core/src/sqlite/row-text.ts',
  'packages/core/src/sqlite/schema.ts',
  'packages/core/src/sqlite/sqlite-errors.ts',
  'packages/core/src/base/whole-file.ts',
  'packages/core/src/testing.ts',
  'packages/model-ai-sdk/src/errors/error-table.ts',
  'packages/model-ai-sdk/src/resolve/header-text.ts',
  'packages/model-ai-sdk/src/http/life-signs.ts',
  'packages/model-ai-sdk/src/output/root-schema.ts',
  'packages/model-ai-sdk/src/sdk/provider-names.ts',
  'packages/plugin-hooks/src/words/tool-table.ts',
  'packages/plugin-redaction/src/checksums.ts',
  'packages/plugin-redaction/src/find-addresses.ts',
  'packages/plugin-redaction/src/replacements.ts',
  'packages/plugin-resilience/src/factories.ts',
  'packages/plugin-skills/src/finding/find-skill-file.ts',
  'packages/plugin-skills/src/listing/find-skills.ts',
  'packages/plugin-telemetry/src/otel/semconv.ts',
  'packages/testing/src/store/store-samples.ts',
]);

it('files are named for what they export', () => {
  const files = globSync('packages/*/src/**/*.{ts,tsx}').filter(
    (file) => isShipped(file) && !named.has(file),
  );
  expect(files.filter((file) => missingWords(file).length > 0)).toEqual([]);
});

function isShipped(file: string): boolean {
  const isTest = file.endsWith('.test.ts');
  return !isTest && !['index.ts', 'main.ts', 'main.tsx'].includes(basename(file));
}

/** The words of a file's name that are in none of the names that it exports. */
function missingWords(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const declared = text.matchAll(
    /^export (?:abstract |async )*(?:const|function\*?|class|interface|type) (\w+)/gm,
  );
  const listed = text.matchAll(/^export (?:type )?\{([^}]*)\}/gm);
  const exported = Array.from([...declared, ...listed], ([, names = '']) => names.toLowerCase()).join(' ');
  return basename(file)
    .replace(/\.tsx?$/, '')
    .split('-')
    .filter((word) => !exported.includes(stemOf(word)));
}

function stemOf(word: string): string {
  return word
    .replace(/ies$/, 'y')
    .replace(/(?<=ss)es$/, '')
    .replace(/(?<!s)s$/, '');
}
