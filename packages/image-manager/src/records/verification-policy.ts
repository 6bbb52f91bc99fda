import { ImageReferenceError, parseImageReference } from '../image-reference.ts';

/** KubeletConfiguration `imagePullCredentialsVerificationPolicy` (KEP-2535): which images that are there are only for pods that could pull them. */
export type ImagePullCredentialsVerificationPolicy =
  /** None: what is there may be used by all. */
  | 'NeverVerify'
  /** Those that this agent, or a kubelet before it, pulled. */
  | 'NeverVerifyPreloadedImages'
  /** Those that this agent, or a kubelet before it, pulled, and the others that are not on the allow list. */
  | 'NeverVerifyAllowlistedImages'
  /** All. */
  | 'AlwaysVerify';

/** Settings of the verification, named and defaulted as in KubeletConfiguration. */
export interface VerificationOptions {
  /** Default: `NeverVerifyPreloadedImages`. */
  readonly imagePullCredentialsVerificationPolicy?: ImagePullCredentialsVerificationPolicy | undefined;
  /** Repositories (`registry.example/app`) or all below a path (`registry.example/team/*`), for `NeverVerifyAllowlistedImages` alone. */
  readonly preloadedImagesVerificationAllowlist?: readonly string[] | undefined;
}

/** Settings that cannot be followed. */
export class VerificationPolicyError extends Error {
  override readonly name = 'VerificationPolicyError';
}

/** Whether a pod has to show that it may pull the image of this repository (with its registry, without tag or digest). */
export type RequiresVerification = (repository: string, pulledByKubelet: boolean) => boolean;

const policies: readonly string[] = [
  'NeverVerify',
  'NeverVerifyPreloadedImages',
  'NeverVerifyAllowlistedImages',
  'AlwaysVerify',
] satisfies ImagePullCredentialsVerificationPolicy[];

/** The rule that the settings make. @throws {@link VerificationPolicyError} */
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
  const refuse = (why: string): never => {
    throw new VerificationPolicyError(`preloadedImagesVerificationAllowlist: ${JSON.stringify(pattern)}: ${why}`);
  };
  if (pattern !== pattern.trim()) refuse('it must not begin or end with a space');
  if (pattern.endsWith('/*')) {
    const prefix = pattern.slice(0, -1);
    if (prefix.includes('*')) refuse("'*' is only understood at the end, after '/'");
    if (prefix === '/') refuse('it must begin with a registry');
    return (repository) => repository.startsWith(prefix);
  }
  if (pattern.includes('*')) refuse("'*' is only understood at the end, after '/'");
  const exact = repositoryOrRefuse(pattern, refuse);
  return (repository) => repository === exact;
}

/** The repository of an image with its registry, by which records and allow lists know it: `docker.io/library/nginx`. @throws ImageReferenceError */
export function repositoryOf(image: string): string {
  const { domain, path } = parseImageReference(image);
  return `${domain}/${path}`;
}

function repositoryOrRefuse(pattern: string, refuse: (why: string) => never): string {
  try {
    const { tag, digest } = parseImageReference(pattern);
    if (tag !== undefined || digest !== undefined) refuse('it must have neither tag nor digest');
    return repositoryOf(pattern);
  } catch (error) {
    if (!(error instanceof ImageReferenceError)) throw error;
    return refuse(error.message);
  }
}
