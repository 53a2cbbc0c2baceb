/** The files in `subjects/`. */
export type SubjectName =
  | 'floor'
  | 'floor-full'
  | 'floor-light'
  | 'floor-sqlite'
  | 'floor-generators'
  | 'koa-compose'
  | 'tapable'
  | 'shallot'
  | 'shallot-anonymous'
  | 'shallot-plain'
  | 'shallot-sqlite'
  | 'pi'
  | 'ai'
  | 'strands'
  | 'openai-agents'
  | 'mastra'
  | 'langchain';

/** Subjects that are hand-written loops, not products. Ratios are to the first. */
export const floors: readonly SubjectName[] = ['floor', 'floor-full', 'koa-compose', 'tapable'];

/** The products that Shallot is compared with. */
export const peers: readonly SubjectName[] = ['pi', 'ai', 'strands', 'openai-agents', 'mastra', 'langchain'];

/** Shallot and the products that it is compared with. */
export const products: readonly SubjectName[] = ['shallot', ...peers];

export const agents: readonly SubjectName[] = ['shallot', 'shallot-plain', ...peers];

/** The agents whose plugins can replace chunks of the model's answer; LangChain's cannot. */
export const transformingAgents: readonly SubjectName[] = agents.filter((name) => name !== 'langchain');

/** The packages to install for each product. */
export const packages: Partial<Record<SubjectName, string>> = {
  shallot: '@shallot/core',
  pi: '@earendil-works/pi-agent-core',
  ai: 'ai',
  strands: '@strands-agents/sdk',
  'openai-agents': '@openai/agents',
  mastra: '@mastra/core',
  langchain: 'langchain',
};

/** The module to import for each product that is not imported by its package name. */
export const entryPoints: Partial<Record<SubjectName, string>> = { mastra: '@mastra/core/agent' };
