import type { JsonObject, JsonValue } from '@shallot/core';

import { isJsonObject } from '../../../src/sdk/metadata.ts';

/** A reason for which a vendor refuses requests, independent of the key. */
export interface VendorRule {
  /** The message of the refusal, in the vendor's words if they are known. */
  readonly message: string;
  /** The address of the vendor's page, or of a report that quotes the vendor's error. */
  readonly source: string;
  /** Returns true if a request breaks the rule. `bytes` is the size of the whole request. */
  readonly isBroken: (body: JsonObject, bytes: number) => boolean;
  /** The smallest request that breaks the rule. */
  readonly example: JsonObject;
  /** The status of the refusal. Default: 400. */
  readonly status?: number;
}

/** Returns the objects in a list; an empty list for any other value. */
export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((each: JsonValue) => isJsonObject(each)) : [];
}

/** Returns the value at a path of keys; undefined if there is none. */
export function inside(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  return path.reduce((found, key) => (isJsonObject(found) ? found[key] : undefined), value);
}

export function isBlank(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** Returns true for two lists of the same names in any order, without duplicates. */
export function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  const names = new Set(one);
  return names.size === one.length && one.length === other.length && other.every((name) => names.has(name));
}

/** Returns a string unchanged, and the empty string for anything else. */
export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Pages and sources of vendors that state a rule; they were read in November 2026. */
const read: ReadonlySet<string> = new Set([
  'https://ai.google.dev/gemini-api/docs/file-input-methods',
  'https://ai.google.dev/gemini-api/docs/thought-signatures',
  'https://developers.openai.com/api/docs/guides/file-inputs',
  'https://developers.openai.com/api/docs/guides/images-vision',
  'https://developers.openai.com/api/docs/guides/structured-outputs',
  'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html',
  'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html',
  'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html',
  'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlockStart.html',
  'https://docs.aws.amazon.com/bedrock/latest/userguide/inference-api-restrictions.html',
  'https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html',
  'https://github.com/anthropics/anthropic-sdk-python/blob/main/src/anthropic/types/thinking_block.py',
  'https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use',
  'https://platform.claude.com/docs/en/api/overview',
  'https://platform.claude.com/docs/en/build-with-claude/extended-thinking',
  'https://platform.claude.com/docs/en/build-with-claude/prompt-caching',
  'https://platform.claude.com/docs/en/build-with-claude/thinking-tool-workflows',
  'https://platform.claude.com/docs/en/build-with-claude/vision',
]);

/**
 * Returns the kind of source that a rule has: the vendor's page, a report that quotes the vendor's error, or a page
 * that was not read.
 */
export function standingOf({ source }: VendorRule): "vendor's page" | 'report' | 'unverified' {
  if (read.has(source)) return "vendor's page";
  return source.startsWith('https://github.com/') ? 'report' : 'unverified';
}
