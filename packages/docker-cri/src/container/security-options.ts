import {
  type SecurityProfile,
  SecurityProfile_ProfileType,
  type SELinuxOption,
  ServiceError,
  StatusCode,
} from '@rxlet/cri-api';

/** Security settings that Docker takes as options. */
export interface SecuritySettings {
  readonly seccomp?: SecurityProfile | undefined;
  readonly seccompProfilePath: string;
  readonly apparmor?: SecurityProfile | undefined;
  readonly apparmorProfile: string;
  readonly selinuxOptions?: SELinuxOption | undefined;
  readonly noNewPrivs: boolean;
  readonly privileged: boolean;
}

const { Localhost, RuntimeDefault, Unconfined } = SecurityProfile_ProfileType;
const LOCALHOST = 'localhost/';

/** Returns the path of the seccomp profile that must be read for {@link securityOptions}; `undefined` when no file is involved. */
export function seccompProfileFile({ seccomp, seccompProfilePath }: SecuritySettings): string | undefined {
  if (seccomp?.profileType === Localhost) return absolute(seccomp.localhostRef);
  if (seccomp === undefined && seccompProfilePath.startsWith(LOCALHOST)) {
    return absolute(seccompProfilePath.slice(LOCALHOST.length));
  }
  return undefined;
}

/** Returns Docker's `SecurityOpt`. `profile` is the content of {@link seccompProfileFile}. */
export function securityOptions(settings: SecuritySettings, profile: string | undefined): string[] {
  const { selinuxOptions: selinux, noNewPrivs, privileged } = settings;
  return [
    // Docker itself leaves a privileged container unconfined.
    ...(privileged ? [] : [...seccompOptions(settings, profile), ...apparmorOptions(settings)]),
    ...(['user', 'role', 'type', 'level'] as const).flatMap((field) => {
      const value = selinux?.[field] ?? '';
      return value === '' ? [] : [`label=${field}:${value}`];
    }),
    ...(noNewPrivs ? ['no-new-privileges'] : []),
  ];
}

function seccompOptions({ seccomp, seccompProfilePath }: SecuritySettings, profile: string | undefined): string[] {
  if (profile !== undefined) return [`seccomp=${compactJson(profile)}`];
  const isDefault =
    seccomp === undefined
      ? seccompProfilePath === 'runtime/default' || seccompProfilePath === 'docker/default'
      : seccomp.profileType === RuntimeDefault;
  // No profile means unconfined, as in other runtimes; Docker's own default is its profile.
  return isDefault ? [] : ['seccomp=unconfined'];
}

function apparmorOptions({ apparmor, apparmorProfile }: SecuritySettings): string[] {
  if (apparmor === undefined) {
    if (apparmorProfile === '' || apparmorProfile === 'runtime/default') return [];
    return [`apparmor=${apparmorProfile.replace(LOCALHOST, '')}`];
  }
  if (apparmor.profileType === Unconfined) return ['apparmor=unconfined'];
  return apparmor.profileType === Localhost ? [`apparmor=${apparmor.localhostRef.replace(LOCALHOST, '')}`] : [];
}

function absolute(path: string): string {
  const plain = path.startsWith(LOCALHOST) ? path.slice(LOCALHOST.length) : path;
  if (plain.startsWith('/')) return plain;
  throw new ServiceError(
    StatusCode.InvalidArgument,
    `the seccomp profile ${JSON.stringify(path)} has no absolute path`,
  );
}

function compactJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch (error) {
    throw new ServiceError(StatusCode.InvalidArgument, `cannot read the seccomp profile: ${(error as Error).message}`);
  }
}
