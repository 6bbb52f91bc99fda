import type { Node, Pod } from '@rxlet/kube-api';
import { ApiError, notFound } from '../api-error.ts';
import type { StoredObject } from '../api-object.ts';
import type { ObjectRequest } from '../request/parse-request.ts';
import type { ResourceType } from '../resource-type.ts';

/** A request to the API of a kubelet. */
export interface NodeRoute {
  readonly host: string;
  readonly port: number;
  /** Path with query. */
  readonly path: string;
}

const SERVICES: Readonly<Record<string, string>> = {
  log: 'containerLogs',
  exec: 'exec',
  attach: 'attach',
  portforward: 'portForward',
};
/** Parameters of streams, by their names in the API of a kubelet. */
const STREAMS: Readonly<Record<string, string>> = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' };
const KUBELET_PORT = 10_250;
const ADDRESS_TYPES = ['InternalIP', 'Hostname', 'InternalDNS', 'ExternalIP', 'ExternalDNS'];

/** Reports whether a kubelet answers a subresource of pods. */
export function isNodeSubresource(subresource: string | undefined): subresource is string {
  return subresource !== undefined && Object.hasOwn(SERVICES, subresource);
}

/**
 * Returns the request to a kubelet that answers a subresource of a pod, such as `log`.
 *
 * @param findNode returns a node by its name
 * @throws ApiError for a pod without a node, a node without an address, and a missing container
 */
export function nodeRoute(
  { subresource = '', query }: ObjectRequest,
  object: StoredObject,
  nodes: ResourceType,
  findNode: (name: string) => StoredObject | undefined,
): NodeRoute {
  const pod = object as unknown as Pod;
  const { name, namespace = '' } = object.metadata;
  const nodeName = pod.spec?.nodeName;
  if (!nodeName) throw new ApiError('BadRequest', `pod ${name} does not have a host assigned`);
  const node = findNode(nodeName) as unknown as Node | undefined;
  if (node === undefined) throw notFound(nodes, nodeName);
  const container = subresource === 'portforward' ? [] : [containerOf(pod, query.get('container'))];
  const segments = [SERVICES[subresource]!, namespace, name, ...container].map(encodeURIComponent);
  const parameters = subresource === 'log' ? logParameters(query) : streamParameters(query);
  const path = `/${segments.join('/')}?${parameters.toString()}`;
  return { host: addressOf(node), port: node.status?.daemonEndpoints?.kubeletEndpoint?.Port || KUBELET_PORT, path };
}

function addressOf({ metadata, status }: Node): string {
  const addresses = status?.addresses ?? [];
  const found = ADDRESS_TYPES.map((type) => addresses.find((address) => address.type === type)?.address).find(Boolean);
  if (found === undefined) throw new ApiError('InternalError', `node ${metadata?.name ?? ''} has no address`);
  return found;
}

function containerOf({ metadata, spec }: Pod, given: string | null): string {
  const podName = metadata?.name ?? '';
  const all = [spec?.containers, spec?.initContainers, spec?.ephemeralContainers].flatMap((each) => each ?? []);
  if (given) {
    if (all.some(({ name }) => name === given)) return given;
    throw new ApiError('BadRequest', `container ${given} is not valid for pod ${podName}`);
  }
  const [first, ...others] = spec?.containers ?? [];
  if (first !== undefined && others.length === 0) return first.name;
  const names = (spec?.containers ?? []).map(({ name }) => name).join(' ');
  throw new ApiError('BadRequest', `a container name must be specified for pod ${podName}, choose one of: [${names}]`);
}

function logParameters(query: URLSearchParams): URLSearchParams {
  const kept = [...query].filter(([name]) => name !== 'container' && !name.startsWith('insecure'));
  return new URLSearchParams(kept);
}

function streamParameters(query: URLSearchParams): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of query) {
    if (name === 'command' || name === 'ports' || name === 'port') parameters.append(name, value);
    else if (Object.hasOwn(STREAMS, name) && value !== 'false' && value !== '0') parameters.set(STREAMS[name]!, '1');
  }
  return parameters;
}
