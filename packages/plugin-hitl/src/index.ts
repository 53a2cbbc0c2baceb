export type { ApprovalRequest } from './approval-request.ts';
export type { Decision, DecisionKind } from './decision.ts';
export { hitl, hitl as default } from './hitl.ts';
export type { Ask, HitlOptions, ToolPolicy } from './options.ts';
