import { formatError, ShallotError } from './base/errors.ts';
import type { OwnParts } from './check-options.ts';
import type { AgentOptions } from './contract/agent-options.ts';
import { permissionEvaluatorKey } from './contract/permissions/permission-evaluator.ts';
import { Closing } from './run/parts/closing.ts';

/** The permissions that an agent was given. */
type Given = Pick<AgentOptions<never>, 'files' | 'permissions' | 'permissionFiles'>;

/**
 * Stops the plugins, and throws `PERMISSIONS_UNHEEDED`, if no plugin evaluates the permissions and unlocked files that
 * the agent has.
 */
export async function refuseUnheeded(
  { host, closeTimeoutMs }: OwnParts,
  { files, permissions, permissionFiles }: Given,
): Promise<void> {
  if (host.services.get(permissionEvaluatorKey) !== undefined) return;
  const narrows = permissionFiles?.person !== undefined || (permissionFiles?.project?.list().length ?? 0) > 0;
  const opens =
    (permissionFiles?.unlocked ?? []).length > 0 ||
    (typeof files === 'object' && files.isUnlocked !== undefined);
  if (permissions === undefined && !narrows && !opens) return;
  await host.close(new Closing(closeTimeoutMs));
  const isOnlyOpen = permissions === undefined && !narrows;
  const what = isOnlyOpen
    ? '`unlock` opens protected files to tools, and no plugin asks a person about them: every call would be executed.'
    : 'The agent has permissions, and no plugin that evaluates them: every call would be executed.';
  const [failed, ...others] = host.warnings;
  const advice =
    failed === undefined
      ? `Add an approval plugin, such as hitl, to its plugins${isOnlyOpen ? ', or remove `unlock`' : ''}.`
      : `Mend the plugin that was left out: ${formatError(failed)}`;
  throw new ShallotError('PERMISSIONS_UNHEEDED', {
    message: `${what} ${advice}`,
    // An optional plugin that failed may be the one that was to evaluate them.
    ...(failed !== undefined && { cause: failed, errors: [failed, ...others] }),
  });
}
