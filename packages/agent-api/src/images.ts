export {
  type EnsuredImage,
  type EnsureImageRequest,
  imageEnsurer,
  type ImageEnsurer,
  type ImageFailure,
  type ImageFailureReason,
} from './image-ensurer.ts';
export {
  type ImagePull,
  type ImagePullRequest,
  type ImagePulls,
  imagePulls,
  pullProgressSource,
} from './image-pulls.ts';
export { imageReclaimer, type ImageReclaimer } from './image-reclaimer.ts';
export {
  type CredentialOrigin,
  type CredentialRequest,
  type CredentialSource,
  type PullCredential,
  pullCredentials,
  type RegistryAuth,
} from './pull-credentials.ts';
export { pullObserver, type PullObserver } from './pull-observer.ts';
