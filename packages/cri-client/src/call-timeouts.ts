import type {
  CheckpointContainerRequest,
  ExecSyncRequest,
  RunPodSandboxRequest,
  StopContainerRequest,
} from '@rxlet/cri-api';

type TimeoutRule<Request> = (request: Request, timeoutMs: number) => number;

/** RPCs whose deadline differs from the kubelet's `runtimeRequestTimeout`. */
const RULES = {
  // Creating a sandbox may pull its image and runs network plugins.
  RunPodSandbox: (_request: RunPodSandboxRequest, timeoutMs) => 2 * timeoutMs,
  StopContainer: (request: StopContainerRequest, timeoutMs) => timeoutMs + Math.max(0, secondsToMs(request.timeout)),
  // A command without a timeout may run without limit.
  ExecSync: (request: ExecSyncRequest, timeoutMs) =>
    request.timeout > 0n ? timeoutMs + secondsToMs(request.timeout) : Infinity,
  CheckpointContainer: (request: CheckpointContainerRequest, timeoutMs) => {
    if (request.timeout === 0n) return timeoutMs;
    return request.timeout > 0n ? secondsToMs(request.timeout) : Infinity;
  },
  // The duration of a pull depends on the image; only its caller can detect that it makes no progress.
  PullImage: () => Infinity,
} satisfies Record<string, TimeoutRule<never>>;

const rules = new Map<string, TimeoutRule<never>>(Object.entries(RULES));

function secondsToMs(seconds: bigint): number {
  return Number(seconds) * 1000;
}

/**
 * Returns the deadline of a unary call without one of its caller, in milliseconds; `Infinity`: none. These are the kubelet's rules; `timeoutMs` is its
 * `runtimeRequestTimeout`.
 */
export function defaultTimeoutMs(method: string, request: object, timeoutMs: number): number {
  const rule = rules.get(method);
  return rule === undefined ? timeoutMs : rule(request as never, timeoutMs);
}
