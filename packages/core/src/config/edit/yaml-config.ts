import { Document, isCollection, isPair, isScalar, isSeq, type Scalar, type YAMLMap } from 'yaml';

/** A config to write: its values, in the order of the file, and a comment for each plugin that needs one, by `use`. */
export interface NewConfig {
  readonly values: Readonly<Record<string, unknown>>;
  readonly comments: Readonly<Record<string, string>>;
  /** The JSON Schema for editors, relative to the config. */
  readonly schema: string;
}

/** Writes a config in YAML: options of plugins as blocks, their lists on one line. */
export function yamlConfig({ values, comments, schema }: NewConfig): string {
  const document = new Document(values);
  document.commentBefore = ` yaml-language-server: $schema=${schema}`;
  const plugins = document.get('plugins');
  if (isSeq<Scalar | YAMLMap>(plugins)) {
    for (const entry of plugins.items) {
      flowLists(entry);
      const comment = comments[String(isScalar(entry) ? entry.value : entry.get('use'))];
      if (comment !== undefined) entry.commentBefore = ` ${comment}`;
    }
  }
  return document.toString({ lineWidth: 120, flowCollectionPadding: false });
}

/** Writes the lists inside a node on one line each. */
export function flowLists(node: unknown): void {
  if (!isCollection(node)) return;
  if (isSeq(node)) node.flow = true;
  for (const item of node.items) flowLists(isPair(item) ? item.value : item);
}
