import { formatError, ShallotError } from './base/errors.ts';
import type { OwnParts } from './check-options.ts';
import type { AgentOptions } from './contract/agent-options.ts';
import { permissionEvaluatorKey } from './contract/permissions/permission-evaluator.ts';
import { Closing } from './run/parts/closing.ts';

/** The permissions that an agent was given. */
type Given = Pick<AgentOptions, 'permissions' | 'permissionFiles'>;

/**
 * Refuses permissions that no plugin evaluates, and stops the plugins.
 * @throws `PERMISSIONS_UNHEEDED`
 */
export async function refuseUnheeded(
  { host, closeTimeoutMs }: OwnParts,
  { permissions, permissionFiles }: Given,
): Promise<void> {
  const narrows = permissionFiles?.person !== undefined || (permissionFiles?.project?.list().length ?? 0) > 0;
  if ((permissions === undefined && !narrows) || host.services.get(permissionEvaluatorKey) !== undefined)
    return;
  await host.close(new Closing(closeTimeoutMs));
  const [failed, ...others] = host.warnings;
  const advice =
    failed === undefined
      ? 'Add an approval plugin, such as hitl, to its plugins.'
      : `Mend the plugin that was left out: ${formatError(failed)}`;
  throw new ShallotError('PERMISSIONS_UNHEEDED', {
    message: `The agent has permissions, and no plugin that evaluates them: every call would be executed. ${advice}`,
    // An optional plugin that failed may be the one that was to evaluate them.
    ...(failed !== undefined && { cause: failed, errors: [failed, ...others] }),
  });
}
