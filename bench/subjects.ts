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

/** Loops that are not a product: the first is what ratios are made to. */
export const floors: readonly SubjectName[] = ['floor', 'floor-full', 'koa-compose', 'tapable'];

/** The products that Shallot is held against. */
export const peers: readonly SubjectName[] = ['pi', 'ai', 'strands', 'openai-agents', 'mastra', 'langchain'];

/** The products that can be installed. */
export const products: readonly SubjectName[] = ['shallot', ...peers];

export const agents: readonly SubjectName[] = ['shallot', 'shallot-plain', ...peers];

/** Where a plugin can replace chunks of the model's answer; LangChain's cannot. */
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

/** The module that a program imports of each product, where that is not the package's own name. */
export const entryPoints: Partial<Record<SubjectName, string>> = { mastra: '@mastra/core/agent' };
