import type { CertificateSigningRequest, Event, Node } from '@rxlet/kube-api';
import { certificateFiles, describeSigningRequest } from './bootstrap.ts';
import { findPhase } from './phases.ts';
import type { ApiRequest, Recording } from './recording.ts';
import { createReplayNode, type ReplayNode } from './replay-node.ts';

/** Accounts of the recorded pods. */
const ACCOUNTS = ['default', 'sa1'];
/** Time for a node to register and to come to rest. */
const SETTLE_MS = 30_000;

/** Requests of a node during a phase, and what is left at its end. */
export interface Replay {
  readonly requests: readonly ApiRequest[];
  /** Files of its certificates. */
  readonly files: Readonly<Record<string, string>>;
}

/** Replays a phase: an operator does to the agent's node what the recorded one did. */
export async function replay(recording: Recording): Promise<Replay> {
  await using node = await createReplayNode(fileSystemBytesOf(recording));
  const { before, actions, startsAgent = false, tailSeconds = 3 } = findPhase(recording);
  for (const name of ACCOUNTS)
    node.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'default' } });
  for (const object of recording.objects) if (!OWN_KINDS.has(object.kind ?? '')) node.apply(object);
  if (!startsAgent) {
    await node.start({ startError: startErrorOf(recording) });
    await node.node.advance(SETTLE_MS);
  }
  await before?.(node);
  if (!startsAgent) await node.node.advance(SETTLE_MS);
  node.takeRequests();
  await runActions(node, actions);
  const endMs = ((recording.requests.at(-1)?.t ?? 0) + tailSeconds) * 1000;
  await node.node.advance(Math.max(0, endMs - node.elapsedMs()));
  const requests = await Promise.all(node.takeRequests().map((request) => withDecodedRequest(node, request)));
  return { requests, files: await certificateFiles(node.node) };
}

/** Replaces a request for a certificate by what it asks for. */
async function withDecodedRequest({ node }: ReplayNode, request: ApiRequest): Promise<ApiRequest> {
  if (request.method !== 'POST' || !request.path.endsWith('/certificatesigningrequests')) return request;
  const body = request.body as CertificateSigningRequest;
  const decoded = await describeSigningRequest(node, body.spec.request);
  return { ...request, body: { ...body, spec: { ...body.spec, request: decoded } } };
}

/** Returns the size of the disk with which the recorded node was registered. */
function fileSystemBytesOf({ requests }: Recording): number | undefined {
  const created = requests.find(({ method, path }) => method === 'POST' && path === '/api/v1/nodes');
  const kibibytes = (created?.body as Node | undefined)?.status?.capacity?.['ephemeral-storage'];
  return kibibytes === undefined ? undefined : Number.parseInt(String(kibibytes)) * 1024;
}

/** Objects that the phase creates itself. */
const OWN_KINDS: ReadonlySet<string> = new Set(['Pod', 'Node']);

async function runActions(
  node: ReplayNode,
  actions: readonly { readonly t: number; run(node: ReplayNode): unknown }[],
): Promise<void> {
  for (const { t, run } of actions) {
    await node.node.advance(Math.max(0, t * 1000 - node.elapsedMs()));
    await run(node);
  }
}

/** Returns the error of containers that the runtime could not start. */
function startErrorOf({ requests }: Recording): string | undefined {
  for (const { body } of requests) {
    const { message = '', involvedObject } = (body ?? {}) as Partial<Event>;
    const [, container] = /\{(.*)\}/.exec(involvedObject?.fieldPath ?? '') ?? [];
    const prefix = 'Error: failed to create containerd task: ';
    if (!message.startsWith(prefix)) continue;
    return message.slice('Error: '.length).replace(`/${container ?? ''}:`, '/<container>:');
  }
  return undefined;
}
