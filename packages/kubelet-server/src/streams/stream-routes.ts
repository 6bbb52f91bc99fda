import { EndpointError, type EndpointResponse } from '@rxlet/agent-api/http';
import type { Clock } from '@rxlet/component-base';
import { findPodContainer } from '@rxlet/pod-model';
import type { Pod } from '@rxlet/kube-api';
import {
  BadStreamRequestError,
  type CommandOptions,
  isTranslatedWebSocket,
  parseCommandOptions,
  parseForwardedPorts,
  proxyStream,
  type StreamTarget,
} from '@rxlet/streaming/proxy';
import { callErrorCode, callErrorText, StatusCode } from '@rxlet/cri-api';
import { findPod } from '../endpoints/find-pod.ts';
import { findReadySandbox, findRunningContainer } from '../endpoints/runtime-objects.ts';
import type { PodLister, ServerRuntime } from '../ports.ts';
import { errorLine } from '../request/answer.ts';
import type { ApiRequest } from '../request/api-request.ts';
import type { Operation, ServiceRoute } from '../routing/route.ts';
import type { StreamKind } from './stream-kind.ts';

/** Ports of {@link streamRoutes}. */
export interface StreamPorts {
  readonly pods: PodLister;
  readonly runtime: Pick<ServerRuntime, 'attach' | 'exec' | 'listContainers' | 'listPodSandbox' | 'portForward'>;
  readonly clock: Clock;
  /** Called for each stream over a WebSocket that is translated for the runtime. */
  readonly onWebSocketStream?: ((kind: StreamKind) => void) | undefined;
}

/** Finds the runtime's end of a stream. Rejects with an EndpointError. */
type FindTarget = (ports: StreamPorts, request: ApiRequest) => Promise<StreamTarget>;

/** Returns the services `/exec`, `/attach` and `/portForward`, whose streams are those of the runtime's streaming server. */
export function streamRoutes(ports: StreamPorts): readonly ServiceRoute[] {
  return [
    { root: '/exec', operations: [streamOperation(ports, 3, execTarget)] },
    { root: '/attach', operations: [streamOperation(ports, 3, attachTarget)] },
    { root: '/portForward', operations: [streamOperation(ports, 2, portForwardTarget)] },
  ];
}

/** Returns the operation of a stream. One more segment, before the last one or as the last one, is the UID of the pod. */
function streamOperation(ports: StreamPorts, least: number, findTarget: FindTarget): Operation {
  return {
    methods: ['GET', 'POST'],
    segments: { least, most: least + 1 },
    // What is wrong with the request itself comes before the missing upgrade.
    async handle(request): Promise<EndpointResponse> {
      await findTarget(ports, request);
      return errorLine(500, 'Upgrade request required');
    },
    async upgrade(request, { socket, head, signal }) {
      const target = await findTarget(ports, request);
      const { message, response } = request;
      response.detachSocket(message.socket);
      if (isTranslatedWebSocket(message, target.kind)) ports.onWebSocketStream?.(target.kind);
      await proxyStream({ message, connection: socket, head }, target, { clock: ports.clock, signal });
    },
  };
}

const execTarget: FindTarget = async ({ pods, runtime }, { segments, parameters, signal }) => {
  const options = parseOrReject(() => parseCommandOptions(parameters));
  const pod = findPod(pods.list(), segments[0]!, segments[1]!);
  const name = segments.at(-1)!;
  const container = await findRunningContainer(runtime, uidOf(pod), name, signal).catch(streamError);
  if (container === undefined) throw new EndpointError(500, `container not found ("${name}")`);
  const request = { containerId: container.id, cmd: parameters.getAll('command'), ...options };
  const { url } = await runtime.exec(request, { signal }).catch(streamError);
  return { kind: 'exec', url, options };
};

const attachTarget: FindTarget = async ({ pods, runtime }, { segments, parameters, signal }) => {
  const options = parseOrReject(() => parseCommandOptions(parameters));
  const pod = findPod(pods.list(), segments[0]!, segments[1]!);
  const name = segments.at(-1)!;
  const container = await findRunningContainer(runtime, uidOf(pod), name, signal).catch(streamError);
  const spec = findPodContainer(pod, name);
  if (container === undefined || spec === undefined) {
    const fullName = `${pod.metadata?.name ?? ''}_${pod.metadata?.namespace ?? ''}`;
    throw new EndpointError(500, `container ${name} not found in pod ${fullName}`);
  }
  // A container has its terminal from its start on, whatever the client thinks.
  const request = { containerId: container.id, ...options, tty: spec.container.tty ?? false };
  const { url } = await runtime.attach(request, { signal }).catch(streamError);
  return { kind: 'attach', url, options };
};

const portForwardTarget: FindTarget = async ({ pods, runtime }, { segments, parameters, message, signal }) => {
  const port = [...parseOrReject(() => parseForwardedPorts(parameters, message))];
  const [namespace = '', name = '', uid] = segments;
  const pod = findPod(pods.list(), namespace, name);
  if (uid !== undefined && uid !== uidOf(pod)) throw new EndpointError(404, 'pod not found');
  const sandbox = await findReadySandbox(runtime, uidOf(pod), signal).catch(streamError);
  if (sandbox === undefined) throw new EndpointError(500, `pod not found ("${name}_${namespace}")`);
  const { url } = await runtime.portForward({ podSandboxId: sandbox.id, port }, { signal }).catch(streamError);
  return { kind: 'portforward', url };
};

function parseOrReject<T extends CommandOptions | readonly number[]>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof BadStreamRequestError)) throw error;
    throw new EndpointError(400, error.message);
  }
}

function uidOf(pod: Pod): string {
  return pod.metadata?.uid ?? '';
}

/** Seconds after which the runtime has forgotten streams that no client came for. */
const RETRY_AFTER_SECONDS = '60';

/** Rejects with the answer to a failed call of the runtime. */
function streamError(error: unknown): never {
  const message = callErrorText(error);
  switch (callErrorCode(error)) {
    case StatusCode.NotFound:
      throw new EndpointError(404, message);
    case StatusCode.ResourceExhausted:
      throw new EndpointError(429, message, { 'retry-after': RETRY_AFTER_SECONDS });
    default:
      throw new EndpointError(500, message);
  }
}
