import { isJsonList, isJsonObject, type JsonValue } from '../../base/json.ts';
import type { ToolMessage } from '../../contract/messages.ts';

/** Returns the arguments that a person gave a call in an approval; undefined if it was executed with the model's own. */
export function editedInput({ metadata }: ToolMessage): JsonValue | undefined {
  const core = metadata?.['core'];
  const given = isJsonObject(core) ? core['answers'] : undefined;
  if (!isJsonList(given)) return undefined;
  const answers = given.map((each) => (isJsonObject(each) ? each['answer'] : undefined));
  const edit = answers.findLast((answer) => isJsonObject(answer) && answer['decision'] === 'edit');
  return isJsonObject(edit) ? edit['args'] : undefined;
}
