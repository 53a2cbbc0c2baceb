import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { rolldown } from 'rolldown';

/** The page, as the server sends it. */
export interface BundledPage {
  /** The whole page. It loads nothing else. */
  readonly html: string;
  /** The content security policy that it is sent with. */
  readonly policy: string;
  /** The files that the page was made from. */
  readonly modules: readonly string[];
}

/** Makes the page from its sources: one document with its script and its styles. */
export async function bundlePage(): Promise<BundledPage> {
  const folder = join(import.meta.dirname, 'src');
  const bundle = await rolldown({
    cwd: import.meta.dirname,
    input: join(folder, 'main.tsx'),
    platform: 'browser',
    transform: { target: 'es2022' },
  });
  const { output } = await bundle.generate({ format: 'iife', minify: true });
  await bundle.close();
  const [{ code, moduleIds }] = output;
  // Escapes the end of the element and the beginning of a comment, which would otherwise end the script.
  const script = code.trim().replaceAll(/<(?=\/script|!--)/gi, String.raw`\x3c`);
  const style = readFileSync(join(folder, 'style.css'), 'utf8').trim();
  return { html: documentOf(script, style), policy: policyOf(script, style), modules: moduleIds };
}

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M8 1c1 3 5 4 5 8.500a5 5 0 0 1-10 0C3 5 7 4 8 1z' fill='%238a4f7d'/%3E%3C/svg%3E";

function documentOf(script: string, style: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Shallot</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript.</noscript>
<script type="module">${script}</script>
</body>
</html>
`;
}

/** Allows the script and the styles of the document, requests to its own server, and nothing else. */
function policyOf(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
