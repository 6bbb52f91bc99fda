import { type AgentModule, contribute, provide } from '@rxlet/agent-api';
import { supportedPodFields } from '@rxlet/agent-api/pod-fields';
import { pullCredentials } from '@rxlet/agent-api/images';
import { podObjects, serviceAccountTokens } from '@rxlet/agent-api/kube';
import type { CredentialProviderConfig } from './credential-provider-config.ts';
import { createCredentialSource } from './credential-source.ts';
import type { DockerConfigPlaces } from './node-docker-config.ts';
import type { ProviderProcesses } from './provider-processes.ts';

/** Options of {@link imageCredentials}. Docker configs are searched in the agent's root directory, in these directories and in `/`. */
export interface ImageCredentialsOptions extends Omit<DockerConfigPlaces, 'rootDirectory'> {
  /** Credential providers. Default: none. */
  readonly credentialProviders?: CredentialProvidersOptions | undefined;
}

/** Credential providers with the processes that run them. */
export interface CredentialProvidersOptions {
  /** See `parseCredentialProviderConfig`. */
  readonly providers: readonly CredentialProviderConfig[];
  /** Hash of the configuration files, such as `sha256:…`, for a metric. */
  readonly providersHash?: string | undefined;
  readonly processes: ProviderProcesses;
}

/**
 * Creates the agent module that finds the credentials of image pulls: pull secrets, the node's docker config and credential providers.
 *
 * @throws CredentialProviderConfigError at set-up, when a provider needs service account tokens and no module provides them
 */
export function imageCredentials(options: ImageCredentialsOptions = {}): AgentModule {
  return {
    name: 'image-credentials',
    uses: [podObjects, serviceAccountTokens],
    provides: [pullCredentials],
    setup({ services, hostFiles, node, ...base }) {
      const { credentialProviders, workingDirectory, homeDirectory } = options;
      const source = createCredentialSource(
        {
          ...base,
          files: hostFiles,
          secrets: services.find(podObjects),
          serviceAccountTokens: services.find(serviceAccountTokens),
          processes: credentialProviders?.processes,
        },
        {
          dockerConfig: { rootDirectory: node.rootDirectory, workingDirectory, homeDirectory },
          providers: credentialProviders?.providers,
          providersHash: credentialProviders?.providersHash,
        },
      );
      return {
        services: [provide(pullCredentials, source)],
        contributions: [contribute(supportedPodFields, 'spec.imagePullSecrets')],
        [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
      };
    },
  };
}
