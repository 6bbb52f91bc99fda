import type { CallOptions, ImageService, RuntimeService } from '@rxlet/cri-api';
import { ImageServiceDescriptor, RuntimeServiceDescriptor } from '@rxlet/cri-api';
import { CriError } from './cri-error.ts';
import type { Capability, CriApiVersion, RpcSupport } from './rpc-support.ts';

/** Capabilities of the connected runtime, as far as its answers have shown them. */
export interface Capabilities {
  /** Version in use; `undefined` until the runtime has answered on this connection. */
  readonly runtimeApiVersion: CriApiVersion | undefined;
  /** Version in use by the image service. */
  readonly imageApiVersion: CriApiVersion | undefined;
  /** All RPCs of CRI v1, by their names (`GetContainerEvents`). */
  readonly rpcs: Readonly<Record<string, Capability>>;
}

/** Returns the capabilities of both services. */
export function readCapabilities(runtime: RpcSupport, images: RpcSupport): Capabilities {
  const of = (rpcSupport: RpcSupport, methods: readonly { readonly name: string }[]) =>
    methods.map(({ name }): [string, Capability] => [name, rpcSupport.capability(name)]);
  return {
    runtimeApiVersion: runtime.version(),
    imageApiVersion: images.version(),
    rpcs: Object.fromEntries([
      ...of(runtime, RuntimeServiceDescriptor.methods),
      ...of(images, ImageServiceDescriptor.methods),
    ]),
  };
}

/** Id that matches nothing, so that the responses are small. */
const NOTHING = 'rxlet-capability-probe';

type Probe = (options: CallOptions) => Promise<unknown>;

/** Returns calls of the RPCs that change nothing, by name. Support for the others shows only in their use. */
function harmlessProbes(runtime: RuntimeService, images: ImageService): Readonly<Record<string, Probe>> {
  const filter = { id: NOTHING };
  return {
    Version: (options) => runtime.version({}, options),
    Status: (options) => runtime.status({}, options),
    RuntimeConfig: (options) => runtime.runtimeConfig({}, options),
    ListPodSandbox: (options) => runtime.listPodSandbox({ filter }, options),
    PodSandboxStatus: (options) => runtime.podSandboxStatus({ podSandboxId: NOTHING }, options),
    ListContainers: (options) => runtime.listContainers({ filter }, options),
    ContainerStatus: (options) => runtime.containerStatus({ containerId: NOTHING }, options),
    ContainerStats: (options) => runtime.containerStats({ containerId: NOTHING }, options),
    ListContainerStats: (options) => runtime.listContainerStats({ filter }, options),
    PodSandboxStats: (options) => runtime.podSandboxStats({ podSandboxId: NOTHING }, options),
    ListPodSandboxStats: (options) => runtime.listPodSandboxStats({ filter }, options),
    ListMetricDescriptors: (options) => runtime.listMetricDescriptors({}, options),
    ListImages: (options) => images.listImages({ filter: { image: { image: NOTHING } } }, options),
    ImageStatus: (options) => images.imageStatus({ image: { image: NOTHING } }, options),
  };
}

/** Calls the unknown RPCs that change nothing, one after the other. Rejects when the runtime cannot be reached. */
export async function probeUnknown(
  services: { readonly runtime: RuntimeService; readonly images: ImageService },
  capabilities: () => Capabilities,
  options: CallOptions,
): Promise<void> {
  for (const [rpc, probe] of Object.entries(harmlessProbes(services.runtime, services.images))) {
    if (capabilities().rpcs[rpc] !== 'unknown') continue;
    try {
      await probe(options);
    } catch (error) {
      if (!(error instanceof CriError) || !ANSWERS.has(error.kind)) throw error;
    }
  }
}

const ANSWERS: ReadonlySet<string> = new Set(['unimplemented', 'rejected']);
