import { expect, it } from 'vitest';

import type { SourceLocation } from '../../base/errors.ts';
import { parseYaml } from '../read/parse-yaml.ts';
import { checkConfig } from './check-config.ts';

function placesOf(text: string): string[] {
  const places: string[] = [];
  checkConfig(parseYaml(text, 'a.yaml'), ({ at }) => places.push(`${at?.line}:${at?.column}`));
  return places;
}

it('faults are reported in the order of the file', () => {
  expect(placesOf('toolConcurrency: 0\nmaxSteps: 0\n')).toEqual(['1:18', '2:11']);
  expect(placesOf('{ toolConcurrency: 0, maxSteps: 0 }')).toEqual(['1:20', '1:33']);
});

it('faults without a place come first, in the order of the reference', () => {
  const messages: string[] = [];
  const locate = ([key]: readonly unknown[]): SourceLocation =>
    key === 'name' ? { file: 'a.ts', line: 1, column: 1 } : { file: 'a.ts' };
  const value = { maxSteps: 0, toolConcurrency: 0, name: 5 };
  checkConfig({ value, locate }, ({ message }) => messages.push(message.split(' ')[0] ?? ''));
  expect(messages).toEqual(['maxSteps', 'toolConcurrency', 'name']);
});
