import type { FeatureGates, KubeletConfiguration } from '@rxlet/component-base/kubelet-configuration';
import type { ProblemReport } from './problem-report.ts';

const POLICIES: readonly string[] = [
  'NeverVerify',
  'NeverVerifyPreloadedImages',
  'NeverVerifyAllowlistedImages',
  'AlwaysVerify',
];
const POLICY = 'imagePullCredentialsVerificationPolicy';
const ALLOWLIST = 'preloadedImagesVerificationAllowlist';

/** Validates who may use images that are on the node already. */
export function validateImagePullCredentials(
  configuration: KubeletConfiguration,
  gates: FeatureGates,
  report: ProblemReport,
): void {
  const { imagePullCredentialsVerificationPolicy: policy = '', preloadedImagesVerificationAllowlist: allowed = [] } =
    configuration;
  if (!gates.isEnabled('KubeletEnsureSecretPulledImages')) {
    if (policy !== '') report([POLICY], `${POLICY} requires feature gate KubeletEnsureSecretPulledImages`);
    if (allowed.length > 0) report([ALLOWLIST], `${ALLOWLIST} requires feature gate KubeletEnsureSecretPulledImages`);
    return;
  }
  if (!POLICIES.includes(policy)) report([POLICY], `${POLICY} "${policy}" must be one of: ${POLICIES.join(', ')}`);
  if (allowed.length > 0 && policy !== 'NeverVerifyAllowlistedImages')
    report([ALLOWLIST], `${ALLOWLIST} requires ${POLICY} NeverVerifyAllowlistedImages`);
  else {
    const invalid = allowed.find((pattern) => !isImagePattern(pattern));
    if (invalid !== undefined)
      report(
        [ALLOWLIST],
        `"${invalid}" in ${ALLOWLIST} is neither an image without tag and digest nor a prefix ending in /*`,
      );
  }
}

const REPOSITORY =
  /^(?:(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)(?:\.(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?))*(?::\d+)?\/)?[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;

function isImagePattern(pattern: string): boolean {
  if (pattern !== pattern.trim()) return false;
  if (!pattern.endsWith('/*')) return REPOSITORY.test(pattern);
  const prefix = pattern.slice(0, -1);
  return prefix.length > 1 && !prefix.includes('*');
}
