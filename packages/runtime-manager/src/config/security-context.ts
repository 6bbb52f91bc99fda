import { create } from '@bufbuild/protobuf';
import {
  type LinuxContainerSecurityContext,
  LinuxContainerSecurityContextSchema,
  type LinuxSandboxSecurityContext,
  LinuxSandboxSecurityContextSchema,
  SecurityProfile_ProfileType,
  type SecurityProfile,
  SecurityProfileSchema,
  type SELinuxOption,
  SELinuxOptionSchema,
  SupplementalGroupsPolicy,
  type UserNamespace,
} from '@rxlet/cri-api';
import type {
  AppArmorProfile,
  Container,
  EphemeralContainer,
  Pod,
  PodSecurityContext,
  SeccompProfile,
  SELinuxOptions,
} from '@rxlet/kube-api';
import { hasAnyPrivilegedContainer } from '@rxlet/pod-model';
import { containerConfigError } from './config-error.ts';
import type { ImageUser } from './image-user.ts';
import { maskedPaths, readonlyPaths } from './kernel-paths.ts';
import { namespaceOptions } from './namespaces.ts';
import type { NodeSettings } from './node-settings.ts';

type SecuritySettings = Pick<NodeSettings, 'rootDirectory' | 'seccompDefault' | 'extraMaskedPaths'>;

/** Returns the security context of a sandbox's own process, from that of the pod. */
export function sandboxSecurityContext(
  pod: Pod,
  users: UserNamespace,
  volumeGroups: readonly bigint[] = [],
): LinuxSandboxSecurityContext {
  const context = pod.spec!.securityContext;
  return create(LinuxSandboxSecurityContextSchema, {
    privileged: hasAnyPrivilegedContainer(pod),
    // The sandbox's process needs no privilege, so it has the runtime's profile whatever the profiles of the containers.
    seccomp: { profileType: SecurityProfile_ProfileType.RuntimeDefault },
    ...(context !== undefined && {
      namespaceOptions: namespaceOptions(pod, users),
      ...int64Field('runAsUser', context.runAsUser),
      ...int64Field('runAsGroup', context.runAsGroup),
      supplementalGroupsPolicy: supplementalGroupsPolicy(context),
      supplementalGroups: [...fsGroup(context), ...volumeGroups, ...ownGroups(context)],
      ...seLinuxField(context.seLinuxOptions),
    }),
  });
}

/**
 * Returns the security context of a container: the pod's, overridden field by field by the container's own.
 * @throws ConfigError for a `Localhost` profile without a file
 */
export function containerSecurityContext(
  pod: Pod,
  container: Container | EphemeralContainer,
  imageUser: ImageUser,
  users: UserNamespace,
  targetContainerId: string,
  settings: SecuritySettings,
  volumeGroups: readonly bigint[] = [],
): LinuxContainerSecurityContext {
  const ofPod = pod.spec!.securityContext;
  const own = container.securityContext;
  const runAsUser = own?.runAsUser ?? ofPod?.runAsUser ?? imageUser.uid;
  const unmasked = own?.procMount === 'Unmasked';
  return create(LinuxContainerSecurityContextSchema, {
    ...(own?.capabilities !== undefined && {
      capabilities: {
        addCapabilities: [...(own.capabilities.add ?? [])],
        dropCapabilities: [...(own.capabilities.drop ?? [])],
      },
    }),
    privileged: own?.privileged ?? false,
    namespaceOptions: namespaceOptions(pod, users, targetContainerId),
    ...seLinuxField(own?.seLinuxOptions ?? ofPod?.seLinuxOptions),
    ...int64Field('runAsUser', runAsUser),
    ...(runAsUser === undefined && { runAsUsername: imageUser.username ?? '' }),
    ...int64Field('runAsGroup', own?.runAsGroup ?? ofPod?.runAsGroup),
    supplementalGroupsPolicy: supplementalGroupsPolicy(ofPod),
    supplementalGroups: [...fsGroup(ofPod), ...ownGroups(ofPod), ...volumeGroups],
    readonlyRootfs: own?.readOnlyRootFilesystem ?? false,
    noNewPrivs: own?.allowPrivilegeEscalation === false,
    maskedPaths: unmasked ? [] : [...maskedPaths, ...settings.extraMaskedPaths],
    readonlyPaths: unmasked ? [] : [...readonlyPaths],
    seccomp: seccompProfile(own?.seccompProfile ?? ofPod?.seccompProfile, settings),
    ...appArmorFields(own?.appArmorProfile ?? ofPod?.appArmorProfile),
  });
}

function seccompProfile(profile: SeccompProfile | undefined, settings: SecuritySettings): SecurityProfile {
  const type = profile?.type ?? (settings.seccompDefault ? 'RuntimeDefault' : 'Unconfined');
  switch (type) {
    case 'RuntimeDefault':
      return create(SecurityProfileSchema, { profileType: SecurityProfile_ProfileType.RuntimeDefault });
    case 'Unconfined':
      return create(SecurityProfileSchema, { profileType: SecurityProfile_ProfileType.Unconfined });
    case 'Localhost': {
      const file = profile?.localhostProfile ?? '';
      if (file === '') throw containerConfigError('localhostProfile must be set if seccompProfile type is Localhost.');
      const localhostRef = `${settings.rootDirectory}/seccomp/${file}`;
      return create(SecurityProfileSchema, { profileType: SecurityProfile_ProfileType.Localhost, localhostRef });
    }
  }
}

/** Returns both AppArmor fields, because older runtimes support only the deprecated one. Without a profile the runtime's default applies. */
function appArmorFields(profile: AppArmorProfile | undefined): {
  apparmor?: SecurityProfile;
  apparmorProfile?: string;
} {
  switch (profile?.type) {
    case undefined:
      return {};
    case 'RuntimeDefault':
      return {
        apparmor: create(SecurityProfileSchema, { profileType: SecurityProfile_ProfileType.RuntimeDefault }),
        apparmorProfile: 'runtime/default',
      };
    case 'Unconfined':
      return {
        apparmor: create(SecurityProfileSchema, { profileType: SecurityProfile_ProfileType.Unconfined }),
        apparmorProfile: 'unconfined',
      };
    case 'Localhost': {
      const localhostRef = profile.localhostProfile ?? '';
      if (localhostRef === '') throw containerConfigError('missing localhost apparmor profile name');
      return {
        apparmor: create(SecurityProfileSchema, { profileType: SecurityProfile_ProfileType.Localhost, localhostRef }),
        apparmorProfile: `localhost/${localhostRef}`,
      };
    }
  }
}

function fsGroup(context: PodSecurityContext | undefined): bigint[] {
  return context?.fsGroup === undefined ? [] : [BigInt(context.fsGroup)];
}

function ownGroups(context: PodSecurityContext | undefined): bigint[] {
  return (context?.supplementalGroups ?? []).map(BigInt);
}

function supplementalGroupsPolicy(context: PodSecurityContext | undefined): SupplementalGroupsPolicy {
  return context?.supplementalGroupsPolicy === 'Strict'
    ? SupplementalGroupsPolicy.Strict
    : SupplementalGroupsPolicy.Merge;
}

function seLinuxField(options: SELinuxOptions | undefined): { selinuxOptions?: SELinuxOption } {
  if (options === undefined) return {};
  const { user = '', role = '', type = '', level = '' } = options;
  return { selinuxOptions: create(SELinuxOptionSchema, { user, role, type, level }) };
}

/** Returns a field of type Int64Value, whose absence differs from zero. */
function int64Field<K extends string>(name: K, value: number | bigint | undefined): { [P in K]?: { value: bigint } } {
  return (value === undefined ? {} : { [name]: { value: BigInt(value) } }) as { [P in K]?: { value: bigint } };
}
