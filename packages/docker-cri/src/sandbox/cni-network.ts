import { QuantityError, quantityNumber } from '@rxlet/pod-model/quantity';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import type { PodNetwork, SandboxNetwork } from './pod-network.ts';

/** Connection of a container, as `@rxlet/cni` takes it. */
export interface CniAttachment {
  readonly containerId: string;
  readonly netnsPath: string | undefined;
  readonly args: readonly (readonly [key: string, value: string])[];
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** The part of `Cni` of `@rxlet/cni` that {@link createCniNetwork} uses. */
export interface CniCalls {
  status(
    signal?: AbortSignal,
  ): Promise<{ readonly isReady: true } | { readonly isReady: false; readonly message: string }>;
  add(attachment: CniAttachment, signal?: AbortSignal): Promise<CniAddresses>;
  remove(attachment: CniAttachment, signal?: AbortSignal): Promise<void>;
  result(containerId: string): Promise<CniAddresses | undefined>;
  attachments(): Promise<readonly { readonly containerId: string }[]>;
}

/** Result of a connection. */
export interface CniAddresses {
  readonly addresses: readonly { readonly ip: string; readonly interfaceIndex: number | undefined }[];
  readonly interfaces: readonly { readonly sandbox: string | undefined }[];
}

const INGRESS = 'kubernetes.io/ingress-bandwidth';
const EGRESS = 'kubernetes.io/egress-bandwidth';
/** Practically no limit, and the largest value that plugins take. */
const BURST_BITS = 2 ** 31 - 1;

/** Creates a {@link PodNetwork} of CNI plugins. */
export function createCniNetwork(cni: CniCalls): PodNetwork {
  return {
    async notReadyReason(signal) {
      const status = await cni.status(signal);
      return status.isReady ? undefined : status.message;
    },
    setUp: async (network, signal) => insideAddresses(await cni.add(attachmentOf(network), signal)),
    tearDown: (network, signal) => cni.remove(attachmentOf(network), signal),
    async addresses(sandboxId) {
      const result = await cni.result(sandboxId);
      return result === undefined ? [] : insideAddresses(result);
    },
    connectedSandboxes: async () => [...new Set((await cni.attachments()).map(({ containerId }) => containerId))],
  };
}

/** Returns the attachment of a sandbox. Throws InvalidArgument for an annotation that is no bandwidth. */
export function attachmentOf({
  sandboxId,
  pod,
  netnsPath,
  hostPorts,
  annotations,
  dns,
}: SandboxNetwork): CniAttachment {
  const ingress = bandwidthOf(annotations, INGRESS);
  const egress = bandwidthOf(annotations, EGRESS);
  const bandwidth = {
    ...(ingress !== undefined && { ingressRate: ingress, ingressBurst: BURST_BITS }),
    ...(egress !== undefined && { egressRate: egress, egressBurst: BURST_BITS }),
  };
  const portMappings = hostPorts.map(({ hostPort, containerPort, protocol, hostIp }) => ({
    hostPort,
    containerPort,
    protocol,
    ...(hostIp !== '' && { hostIP: hostIp }),
  }));
  return {
    containerId: sandboxId,
    netnsPath,
    args: [
      ['IgnoreUnknown', '1'],
      ['K8S_POD_NAMESPACE', pod.namespace],
      ['K8S_POD_NAME', pod.name],
      ['K8S_POD_INFRA_CONTAINER_ID', sandboxId],
      ['K8S_POD_UID', pod.uid],
    ],
    capabilities: {
      ...(portMappings.length > 0 && { portMappings }),
      ...(Object.keys(bandwidth).length > 0 && { bandwidth }),
      ...(dns.servers.length + dns.searches.length + dns.options.length > 0 && { dns }),
    },
  };
}

function bandwidthOf(annotations: Readonly<Record<string, string>>, key: string): number | undefined {
  const text = annotations[key];
  if (text === undefined) return undefined;
  try {
    return bitsPerSecond(text);
  } catch (error) {
    if (!(error instanceof QuantityError) && !(error instanceof RangeError)) throw error;
    throw new ServiceError(StatusCode.InvalidArgument, `the annotation ${key} is invalid: ${error.message}`);
  }
}

/** Returns the addresses of interfaces inside the sandbox; all addresses when the result does not place them. */
function insideAddresses({ addresses, interfaces }: CniAddresses): readonly string[] {
  const inside = addresses.filter(
    ({ interfaceIndex }) => interfaceIndex === undefined || interfaces[interfaceIndex]?.sandbox !== undefined,
  );
  return (inside.length > 0 ? inside : addresses).map(({ ip }) => ip);
}

/** Smallest and largest bandwidth that Kubernetes accepts, in bits a second. */
const MIN_BITS = 1_000;
const MAX_BITS = 1_000_000_000_000_000;

/** Returns the bits a second of a bandwidth annotation such as `10M`. Throws QuantityError, or RangeError for a value that no network can have. */
function bitsPerSecond(quantity: string): number {
  const bits = quantityNumber(quantity);
  if (bits < MIN_BITS) throw new RangeError(`${quantity} is less than 1k`);
  if (bits > MAX_BITS) throw new RangeError(`${quantity} is more than 1P`);
  return bits;
}
