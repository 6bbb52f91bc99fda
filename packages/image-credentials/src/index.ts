export {
  type ConfigDocument,
  type CredentialProviderConfig,
  CredentialProviderConfigError,
  parseCredentialProviderConfig,
  type ProviderVariable,
  type TokenAttributes,
} from './credential-provider-config.ts';
export {
  createCredentialSource,
  type CredentialSourceOptions,
  type CredentialSourcePorts,
} from './credential-source.ts';
export {
  type CredentialProvidersOptions,
  imageCredentials,
  type ImageCredentialsOptions,
} from './image-credentials-module.ts';
export { createKeyring, type Keyring, type KeyringEntry } from './keyring.ts';
export type { DockerConfigPlaces } from './node-docker-config.ts';
export {
  createNodeProviderProcesses,
  type NodeProviderProcesses,
  ProviderProcessError,
} from './node-provider-processes.ts';
export type { ProviderCommand, ProviderProcesses, ProviderResult } from './provider-processes.ts';
export { PullSecretError } from './pull-secrets.ts';
export { readCredentialProviders, type ReadCredentialProvidersPorts } from './read-credential-providers.ts';
export { createRegistryAuth, hashRegistryAuth } from './registry-auth.ts';
