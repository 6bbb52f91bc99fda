import type { CallOptions, RuntimeService } from '@rxlet/cri-api';
import type { TestNode } from '@rxlet/testing';
import type { Workload } from '../workload/workloads.ts';
import type { Assembly } from '../world/assembly.ts';

/** An agent with one deliberate defect. */
export interface BrokenAgent {
  /** The defect. */
  readonly name: string;
  readonly workload?: Workload;
  /** Number of seeds within which it must be caught. */
  readonly seeds: number;
  /** Properties of which one must be violated first. */
  readonly properties: readonly string[];
  /** Creates the agent for one run. */
  assembly(): Assembly;
}

type AnyCall = (request: never, options?: CallOptions) => Promise<unknown>;

/** Wraps a call of the runtime between the agent and the recorder. */
export function wrapCall<K extends keyof RuntimeService>(
  { fake }: TestNode,
  rpc: K,
  wrap: (
    call: (request: unknown, options?: CallOptions) => Promise<unknown>,
    request: Request,
    options?: CallOptions,
  ) => Promise<unknown>,
): void {
  const port = fake.runtime as unknown as Record<K, AnyCall>;
  const call = port[rpc] as (request: unknown, options?: CallOptions) => Promise<unknown>;
  port[rpc] = (request: Request, options?: CallOptions) => wrap(call, request, options);
}

/** The fields of requests that defects concern. */
export interface Request {
  readonly containerId?: string;
  readonly podSandboxId?: string;
  readonly config?: { readonly metadata?: { readonly name?: string; readonly attempt?: number } };
}
