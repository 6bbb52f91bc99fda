import type { PodIdentity } from '@rxlet/agent-api/journal';

/** Explanation of what a pod does now and why, for people and for pages. Times are epoch milliseconds. */
export interface Explanation {
  readonly pod: PodIdentity;
  readonly state: PodSituation;
  /** One sentence without the name of the pod: "waits for the pull of image …". */
  readonly sentence: string;
  /** Since when that holds. */
  readonly sinceMs: number;
  /** Open waits, the most significant first. Empty for a pod that waits for nothing. */
  readonly waitsFor: readonly Wait[];
  /** Latest failure that nothing has put right since. */
  readonly lastError?: LastError;
  /** Time of the next try, for a pod that backs off. */
  readonly nextTryAtMs?: number;
  /** Remedies, the most likely first. */
  readonly help: readonly string[];
  /** Last steps, oldest first. */
  readonly steps: readonly Step[];
}

/** `ok`: as desired. `waiting`: on its way. `failing`: its last try failed, or a container keeps failing. `terminating`; `ended`: no container runs, and none will. */
export type PodSituation = 'ok' | 'waiting' | 'failing' | 'terminating' | 'ended';

/** An open wait of a pod. */
export interface Wait {
  readonly kind: string;
  readonly container?: string;
  readonly subject?: string;
  readonly sinceMs: number;
  readonly sentence: string;
}

/** A failure, in full. */
export interface LastError {
  readonly message: string;
  readonly reason?: string;
  /** Name of the status code of a failed call of the CRI. */
  readonly code?: string;
  readonly atMs: number;
  readonly container?: string;
}

/** A step of a pod's life. */
export interface Step {
  readonly kind: string;
  readonly container?: string;
  readonly subject?: string;
  readonly startMs: number;
  /** Absent while it goes on. */
  readonly durationMs?: number;
  /** `ok`, `failed`, `cancelled` or `interrupted`; absent while it goes on. */
  readonly result?: string;
  readonly message?: string;
}

/** Condition of the node as far as pods depend on it. */
export interface NodeExplanation {
  readonly node: string;
  readonly sentence: string;
  readonly problems: readonly NodeProblem[];
}

/** A problem of the node. */
export interface NodeProblem {
  /** Part of the node: `runtime`, `api-server`, `certificates`, `disk`, `pressure`, `sources` or a health check. */
  readonly part: string;
  readonly message: string;
}
