import {
  RequestError,
  type SessionConfigOption,
  type SessionConfigSelectOption,
  type SessionModeState,
} from '@agentclientprotocol/sdk';
import { permissionModes, type PermissionMode } from '@shallot/core/plugin';

import type { ServedAgent } from './served-agent.ts';
import type { SessionAgent } from './session-agent.ts';

/** The options of a session that a person can choose: the mode of the permissions, and the model. */
export interface SessionOptions {
  readonly modes?: SessionModeState;
  readonly configOptions?: SessionConfigOption[];
}

const modeNames: Readonly<Record<PermissionMode, string>> = {
  'read-only': 'Read only',
  ask: 'Ask before changes',
  edits: 'Edit without asking',
};

/** The ids of the options. */
const modeId = 'mode';
const modelId = 'model';

/** Returns the options of a session with what is chosen. The mode is given in both forms of the protocol. */
export async function optionsOf(
  sessionId: string,
  agents: SessionAgent,
  served: ServedAgent,
): Promise<SessionOptions> {
  const options: SessionConfigOption[] = [];
  const { permissions } = agents.last;
  const view = permissions && (await served.agent.session(sessionId));
  const mode = permissions?.modeOf(sessionId, view?.state);
  if (mode !== undefined)
    options.push({
      type: 'select',
      id: modeId,
      name: 'Permissions',
      category: 'mode',
      currentValue: mode,
      options: permissionModes.map((value) => ({ value, name: modeNames[value] })),
    });
  const models = modelsOf(served);
  if (models.length > 1)
    options.push({
      type: 'select',
      id: modelId,
      name: 'Model',
      category: 'model',
      currentValue: agents.model ?? served.agent.model.id,
      options: models,
    });
  return {
    ...(mode !== undefined && {
      modes: {
        currentModeId: mode,
        availableModes: permissionModes.map((id) => ({ id, name: modeNames[id] })),
      },
    }),
    ...(options.length > 0 && { configOptions: options }),
  };
}

/** Sets an option of a session. @throws a request error for an unknown option or value */
export async function chooseOption(
  { configId, value }: { readonly configId: string; readonly value: string | boolean },
  agents: SessionAgent,
  served: ServedAgent,
): Promise<void> {
  if (configId === modeId) {
    chooseMode(value, agents);
    return;
  }
  const known = configId === modelId ? modelsOf(served).map((each) => each.value) : [];
  const chosen = known.find((name) => name === value);
  if (chosen === undefined) throw unknown(`option ${JSON.stringify(configId)} with that value`, known);
  await agents.chooseModel(chosen === served.agent.model.id ? undefined : chosen);
}

/**
 * Sets the mode of the permissions. @throws a request error for a mode that is unknown, or that the config does not allow
 */
export function chooseMode(value: unknown, agents: SessionAgent): void {
  const known = agents.last.permissions === undefined ? [] : permissionModes;
  const mode = known.find((each) => each === value);
  if (mode === undefined) throw unknown(`mode ${JSON.stringify(value)}`, known);
  agents.chooseMode(mode);
}

function modelsOf({ agent, models = [], forSession }: ServedAgent): SessionConfigSelectOption[] {
  if (forSession === undefined) return [];
  return [...new Set([agent.model.id, ...models])].map((value) => ({ value, name: value }));
}

function unknown(what: string, known: readonly string[]): RequestError {
  return RequestError.invalidParams(
    { code: 'OPTION_INVALID' },
    `There is no ${what}; the agent has ${known.length === 0 ? 'none' : known.join(', ')}.`,
  );
}
