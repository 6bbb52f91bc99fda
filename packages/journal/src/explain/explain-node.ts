import type { NodeExplanation, NodeProblem } from './explanation.ts';

/** Explains whether the node can run pods, from its problems. Pure. */
export function explainNode(node: string, problems: readonly NodeProblem[]): NodeExplanation {
  const parts = [...new Set(problems.map(({ part }) => part))];
  const sentence = parts.length === 0 ? 'the node has no problems' : `the node has problems: ${parts.join(', ')}`;
  return { node, sentence, problems };
}
