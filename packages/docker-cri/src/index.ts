export { createDockerCri, type DockerCri, type DockerCriOptions, type DockerCriPorts } from './create-docker-cri.ts';
export { DockerError, DockerUnavailableError } from './engine/docker-error.ts';
export { type CniAddresses, type CniAttachment, type CniCalls, createCniNetwork } from './sandbox/cni-network.ts';
export type { HostPort, PodNetwork, SandboxNetwork } from './sandbox/pod-network.ts';
export type { SandboxName } from './names/docker-names.ts';
