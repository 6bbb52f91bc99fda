import type { KubeletConfiguration, ModuleConfiguration, NodeConfiguration } from '@rxlet/agent-api/configuration';
import { imageManagement, type ImageManagementOptions } from './image-management-module.ts';

/** Configuration of the module `imageManagement`. */
export const imageManagementConfiguration: ModuleConfiguration<ImageManagementOptions> = {
  name: 'image-management',
  fields: [
    'imageGCHighThresholdPercent',
    'imageGCLowThresholdPercent',
    'imageMaximumGCAge',
    'imageMinimumGCAge',
    'imagePullCredentialsVerificationPolicy',
    'maxParallelImagePulls',
    'preloadedImagesVerificationAllowlist',
    'registryBurst',
    'registryPullQPS',
    'serializeImagePulls',
  ],
  reloadableFields: [
    'imageGCHighThresholdPercent',
    'imageGCLowThresholdPercent',
    'imageMaximumGCAge',
    'imageMinimumGCAge',
  ],
  defaults: {},
  options: toImageManagement,
  module: imageManagement,
};

function toImageManagement({ configuration }: NodeConfiguration): ImageManagementOptions {
  return {
    serializeImagePulls: configuration.serializeImagePulls,
    maxParallelImagePulls: configuration.maxParallelImagePulls,
    registryPullQps: configuration.registryPullQPS,
    registryPullBurst: configuration.registryBurst,
    imagePullCredentialsVerificationPolicy: verificationPolicy(configuration),
    preloadedImagesVerificationAllowlist: configuration.preloadedImagesVerificationAllowlist,
    garbageCollection: {
      imageGcHighThresholdPercent: configuration.imageGCHighThresholdPercent,
      imageGcLowThresholdPercent: configuration.imageGCLowThresholdPercent,
      imageMinimumGcAgeMs: configuration.imageMinimumGCAge,
      imageMaximumGcAgeMs: configuration.imageMaximumGCAge,
    },
  };
}

const VERIFICATION_POLICIES = [
  'NeverVerify',
  'NeverVerifyPreloadedImages',
  'NeverVerifyAllowlistedImages',
  'AlwaysVerify',
] as const;

/** Returns the policy, whose name the validation of the configuration has checked. */
function verificationPolicy({ imagePullCredentialsVerificationPolicy: name }: KubeletConfiguration) {
  return VERIFICATION_POLICIES.find((policy) => policy === name);
}
