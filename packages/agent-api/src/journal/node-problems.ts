import { type CollectionKey, collectionKey } from '../collection-key.ts';

/** A part of the node whose problems keep pods waiting, or the cluster uninformed. */
export interface NodeProblemSource {
  /** Name of the part, such as `api-server`. */
  readonly part: string;
  /** Returns what is wrong, and since when or with which error; `undefined` for nothing. */
  problem(): string | undefined;
}

/** Problems that explanations of the node show, and that do not make the agent unhealthy. The module `journal()` runs them. */
export const nodeProblems: CollectionKey<NodeProblemSource> = collectionKey('node problems', { isOptional: true });
