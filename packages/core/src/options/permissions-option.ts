import { parsePermissionRule } from '../contract/permissions/permission-rule.ts';
import {
  permissionModes,
  ruleLists,
  type Permissions,
  type RuleList,
} from '../contract/permissions/permissions.ts';
import type { AnyOption, Option } from './option.ts';
import { option } from './options-schema.ts';

/** The rules of a list of permissions. */
export const rulesOption = (list: RuleList): Option<readonly string[]> =>
  option.list(
    option.text('a rule such as "edit(src/**)"', /\S/, (text) => {
      const parsed = parsePermissionRule(text, list);
      return 'advice' in parsed ? parsed.advice : undefined;
    }),
  );

/** A mode of permissions. */
export const permissionMode = option.oneOf(...permissionModes);

/** The option `permissions`. A rule in two lists is refused, because one of them would have no effect. */
export const permissionsOption = option
  .object({
    allow: rulesOption('allow').describe('Calls that are executed without a question.'),
    ask: rulesOption('ask').describe('Calls that a person is asked about, whatever `allow` says.'),
    deny: rulesOption('deny').describe('Calls that are refused without a question.'),
    default: option.oneOf(...ruleLists).describe('For calls that no rule covers. Default: `ask`.'),
    mode: permissionMode.describe('The mode of a session that names none. Default: `ask`.'),
    maxMode: permissionMode.describe('The widest mode that a person may choose. Default: `edits`.'),
    mayKeep: rulesOption('allow').describe('The widest rules that an answer may keep. Default: any.'),
  } satisfies Record<keyof Permissions, AnyOption>)
  .map((permissions, report) => {
    const { mode = 'ask', maxMode = 'edits' } = permissions;
    if (permissionModes.indexOf(mode) > permissionModes.indexOf(maxMode))
      report(`it is wider than the mode "${maxMode}" of maxMode; write a narrower one`, 'mode');
    for (const [index, list] of ruleLists.entries()) {
      for (const [at, text] of (permissions[list] ?? []).entries()) {
        const other = ruleLists.slice(0, index).find((each) => permissions[each]?.includes(text) === true);
        if (other === undefined) continue;
        report(`the rule "${text}" stands in "${other}", too; remove it from one of them`, list, at);
      }
    }
    return permissions;
  });
