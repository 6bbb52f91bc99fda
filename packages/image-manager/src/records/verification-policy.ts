import { ImageReferenceError, parseImageReference, repositoryOf } from '../image-reference.ts';

/** KubeletConfiguration `imagePullCredentialsVerificationPolicy` (KEP-2535): present images that a pod may use only with the credentials to pull them. */
export type ImagePullCredentialsVerificationPolicy =
  /** No image: every pod may use a present image. */
  | 'NeverVerify'
  /** Images that this agent or an earlier kubelet pulled. */
  | 'NeverVerifyPreloadedImages'
  /** Images that this agent or an earlier kubelet pulled, and others that are not on the allow list. */
  | 'NeverVerifyAllowlistedImages'
  /** All images. */
  | 'AlwaysVerify';

/** Settings of the verification, named and defaulted as in KubeletConfiguration. */
export interface VerificationOptions {
  /** Default: `NeverVerifyPreloadedImages`. */
  readonly imagePullCredentialsVerificationPolicy?: ImagePullCredentialsVerificationPolicy | undefined;
  /** Repositories (`registry.example/app`) or all below a path (`registry.example/team/*`), for `NeverVerifyAllowlistedImages` only. */
  readonly preloadedImagesVerificationAllowlist?: readonly string[] | undefined;
}

/** Error of contradicting settings. */
export class VerificationPolicyError extends Error {
  override readonly name = 'VerificationPolicyError';
}

/** Reports whether a pod must prove that it may pull the image of this repository (with its registry, without tag or digest). */
export type RequiresVerification = (repository: string, pulledByKubelet: boolean) => boolean;

const policies: readonly string[] = [
  'NeverVerify',
  'NeverVerifyPreloadedImages',
  'NeverVerifyAllowlistedImages',
  'AlwaysVerify',
] satisfies ImagePullCredentialsVerificationPolicy[];

/** Creates the rule of the settings. @throws {@link VerificationPolicyError} */
export function createVerificationPolicy(options: VerificationOptions = {}): RequiresVerification {
  const {
    imagePullCredentialsVerificationPolicy: policy = 'NeverVerifyPreloadedImages',
    preloadedImagesVerificationAllowlist: allowlist = [],
  } = options;
  if (!policies.includes(policy)) {
    throw new VerificationPolicyError(
      `imagePullCredentialsVerificationPolicy is ${JSON.stringify(policy)}; it must be one of ${policies.join(', ')}`,
    );
  }
  if (allowlist.length > 0 && policy !== 'NeverVerifyAllowlistedImages') {
    throw new VerificationPolicyError(
      'preloadedImagesVerificationAllowlist may only be set with imagePullCredentialsVerificationPolicy NeverVerifyAllowlistedImages',
    );
  }
  const patterns = allowlist.map(parseAllowlistPattern);
  switch (policy) {
    case 'NeverVerify':
      return () => false;
    case 'NeverVerifyPreloadedImages':
      return (_, pulledByKubelet) => pulledByKubelet;
    case 'NeverVerifyAllowlistedImages':
      return (repository, pulledByKubelet) => pulledByKubelet || !patterns.some((matches) => matches(repository));
    case 'AlwaysVerify':
      return () => true;
  }
}

/** Reads a pattern of `preloadedImagesVerificationAllowlist`. @throws {@link VerificationPolicyError} */
export function parseAllowlistPattern(pattern: string): (repository: string) => boolean {
  const reject = (why: string): never => {
    throw new VerificationPolicyError(`preloadedImagesVerificationAllowlist: ${JSON.stringify(pattern)}: ${why}`);
  };
  if (pattern !== pattern.trim()) reject('it must not begin or end with a space');
  if (pattern.endsWith('/*')) {
    const prefix = pattern.slice(0, -1);
    if (prefix.includes('*')) reject("'*' is only understood at the end, after '/'");
    if (prefix === '/') reject('it must begin with a registry');
    return (repository) => repository.startsWith(prefix);
  }
  if (pattern.includes('*')) reject("'*' is only understood at the end, after '/'");
  const exact = repositoryOrReject(pattern, reject);
  return (repository) => repository === exact;
}

function repositoryOrReject(pattern: string, reject: (why: string) => never): string {
  try {
    const { tag, digest } = parseImageReference(pattern);
    if (tag !== undefined || digest !== undefined) reject('it must have neither tag nor digest');
    return repositoryOf(pattern);
  } catch (error) {
    if (!(error instanceof ImageReferenceError)) throw error;
    return reject(error.message);
  }
}
