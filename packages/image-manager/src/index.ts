export type { ConfigFile, ConfigFiles } from './credentials/config-files.ts';
export {
  type ConfigDocument,
  type CredentialProviderConfig,
  CredentialProviderConfigError,
  parseCredentialProviderConfig,
  type ProviderVariable,
  type TokenAttributes,
} from './credentials/credential-provider-config.ts';
export {
  createCredentialSource,
  type CredentialSourceOptions,
  type CredentialSourcePorts,
} from './credentials/credential-source.ts';
export { createKeyring, type Keyring, type KeyringEntry } from './credentials/keyring.ts';
export { nodeConfigFiles } from './credentials/node-config-files.ts';
export type { DockerConfigPlaces } from './credentials/node-docker-config.ts';
export {
  createNodeProviderProcesses,
  type NodeProviderProcesses,
  ProviderProcessError,
} from './credentials/node-provider-processes.ts';
export type { ProviderCommand, ProviderProcesses, ProviderResult } from './credentials/provider-processes.ts';
export type {
  CredentialOrigin,
  CredentialRequest,
  CredentialSource,
  PullCredential,
  RegistryAuth,
} from './credentials/pull-credential.ts';
export { PullSecretError, type PullSecretSource } from './credentials/pull-secrets.ts';
export { createRegistryAuth, hashRegistryAuth } from './credentials/registry-auth.ts';
export type {
  ServiceAccountIdentity,
  ServiceAccountTokenRequest,
  ServiceAccountTokens,
} from './credentials/service-account-tokens.ts';
export { decideImage, type ImagePresence, type ImageStep } from './decide-image.ts';
export { type FsStats, nodeFsStats, type ReadFsStats } from './gc/fs-stats.ts';
export {
  createImageGarbageCollector,
  type ImageGarbageCollector,
  type ImageGcOptions,
  type ImageGcPorts,
  type RemovedImage,
} from './gc/image-garbage-collector.ts';
export { ImageGcError, type ImageGcErrorReason } from './gc/image-gc-error.ts';
export type { ImageGcPolicy } from './gc/image-gc-policy.ts';
export { type ImageInventory, type ImageRecord, type ListedImage, updateInventory } from './gc/image-inventory.ts';
export { removableImages, selectForSpace, selectOldImages, spaceNeed, type SpaceNeed } from './gc/select-images.ts';
export { ImageError, type ImageErrorReason } from './image-error.ts';
export { createImageHolds, type ImageHolds, type ImageHoldsOptions } from './image-holds.ts';
export {
  createImageManager,
  type EnsuredImage,
  type ImageManager,
  type ImageManagerOptions,
  type ImageManagerPorts,
  type PullObserver,
} from './image-manager.ts';
export type { ImagePullerOptions } from './image-puller.ts';
export { applyDefaultTag, type ImageReference, ImageReferenceError, parseImageReference } from './image-reference.ts';
export type { ImageRequest } from './image-request.ts';
export type { PullBackoffOptions } from './pull-backoff.ts';
export type { ImagePull } from './pull-queue.ts';
export { decideVerification, type VerificationFacts, type VerificationStep } from './records/decide-verification.ts';
export { createNodeRecordDirectories, UnsafeRecordPathError } from './records/node-record-directory.ts';
export {
  createPullRecords,
  type PullEnd,
  type PullRecords,
  type PullRecordsOptions,
  type PullRecordsPorts,
} from './records/pull-records.ts';
export type { RecordDirectories, RecordDirectory } from './records/record-directory.ts';
export type {
  ImagePullCredentials,
  ImagePulledRecord,
  ImagePullSecret,
  ImagePullServiceAccount,
} from './records/record-format.ts';
export {
  createVerificationPolicy,
  type ImagePullCredentialsVerificationPolicy,
  type RequiresVerification,
  type VerificationOptions,
  VerificationPolicyError,
} from './records/verification-policy.ts';
