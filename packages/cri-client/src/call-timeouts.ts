import type {
  CheckpointContainerRequest,
  ExecSyncRequest,
  RunPodSandboxRequest,
  StopContainerRequest,
} from '@rxlet/cri-api';

type TimeoutRule<Request> = (request: Request, timeoutMs: number) => number;

/** The RPCs whose deadline is not simply the kubelet's `runtimeRequestTimeout`. */
const RULES = {
  // Creating a sandbox may pull its image and runs network plugins.
  RunPodSandbox: (_request: RunPodSandboxRequest, timeoutMs) => 2 * timeoutMs,
  StopContainer: (request: StopContainerRequest, timeoutMs) => timeoutMs + Math.max(0, secondsToMs(request.timeout)),
  // A command without a timeout may run for as long as it likes.
  ExecSync: (request: ExecSyncRequest, timeoutMs) =>
    request.timeout > 0n ? timeoutMs + secondsToMs(request.timeout) : Infinity,
  CheckpointContainer: (request: CheckpointContainerRequest, timeoutMs) => {
    if (request.timeout === 0n) return timeoutMs;
    return request.timeout > 0n ? secondsToMs(request.timeout) : Infinity;
  },
  // The image decides how long a pull takes; only its caller can tell when it no longer makes progress.
  PullImage: () => Infinity,
} satisfies Record<string, TimeoutRule<never>>;

const rules = new Map<string, TimeoutRule<never>>(Object.entries(RULES));

function secondsToMs(seconds: bigint): number {
  return Number(seconds) * 1000;
}

/**
 * The deadline of a unary call that its caller gave none, in milliseconds; `Infinity`: none. These are the kubelet's rules; `timeoutMs` is its
 * `runtimeRequestTimeout`.
 */
export function defaultTimeoutMs(method: string, request: object, timeoutMs: number): number {
  const rule = rules.get(method);
  return rule === undefined ? timeoutMs : rule(request as never, timeoutMs);
}
