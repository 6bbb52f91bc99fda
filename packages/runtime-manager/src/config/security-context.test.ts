import { NamespaceMode, SecurityProfile_ProfileType, SupplementalGroupsPolicy } from '@rxlet/cri-api';
import type { SecurityContext } from '@rxlet/kube-api';
import { testContainer, testPod, type TestPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { nodeUsers } from '../userns/user-namespaces.ts';
import { type ImageUser, verifyRunAsNonRoot } from './image-user.ts';
import { containerSecurityContext, sandboxSecurityContext } from './security-context.ts';

const settings = { rootDirectory: '/root-dir', seccompDefault: false, extraMaskedPaths: ['/sys/thermal'] };

function contextOf(
  securityContext: SecurityContext,
  spec: TestPod['spec'] = {},
  imageUser: ImageUser = { uid: 0n },
  target = '',
): ReturnType<typeof containerSecurityContext> {
  const container = testContainer({ securityContext });
  return containerSecurityContext(
    testPod({ containers: [container], spec }),
    container,
    imageUser,
    nodeUsers,
    target,
    settings,
  );
}

describe('containerSecurityContext', () => {
  it('takes the user from the container, else the pod, else the image', () => {
    expect(contextOf({ runAsUser: 5 }, { securityContext: { runAsUser: 6 } }).runAsUser?.value).toBe(5n);
    expect(contextOf({}, { securityContext: { runAsUser: 6, runAsGroup: 7 } })).toMatchObject({
      runAsUser: { value: 6n },
      runAsGroup: { value: 7n },
    });
    expect(contextOf({}, {}, { uid: 1001n }).runAsUser?.value).toBe(1001n);
    const named = contextOf({}, {}, { username: 'app' });
    expect([named.runAsUser, named.runAsUsername]).toEqual([undefined, 'app']);
  });

  it('shares processes by the pod’s spec, and joins a target only if they are not shared', () => {
    const pid = (spec: TestPod['spec'], target = ''): unknown => {
      const options = contextOf({}, spec, { uid: 0n }, target).namespaceOptions;
      return [options?.pid, options?.targetId];
    };
    expect(pid({})).toEqual([NamespaceMode.CONTAINER, '']);
    expect(pid({}, 'id1')).toEqual([NamespaceMode.TARGET, 'id1']);
    expect(pid({ shareProcessNamespace: true }, 'id1')).toEqual([NamespaceMode.POD, '']);
    expect(pid({ hostPID: true }, 'id1')).toEqual([NamespaceMode.NODE, '']);
  });

  it('takes profiles from the container, else the pod, else the node', () => {
    const seccomp = (own: SecurityContext, spec?: TestPod['spec']): unknown =>
      contextOf(own, spec).seccomp?.profileType;
    const runtimeDefault = { seccompProfile: { type: 'RuntimeDefault' } } as const;
    const unconfined = { seccompProfile: { type: 'Unconfined' } } as const;
    expect(seccomp({})).toBe(SecurityProfile_ProfileType.Unconfined);
    expect(seccomp({}, { securityContext: runtimeDefault })).toBe(SecurityProfile_ProfileType.RuntimeDefault);
    expect(seccomp(unconfined, { securityContext: runtimeDefault })).toBe(SecurityProfile_ProfileType.Unconfined);
    expect(() => contextOf({ seccompProfile: { type: 'Localhost' } })).toThrow(
      'localhostProfile must be set if seccompProfile type is Localhost.',
    );
    expect(contextOf({ appArmorProfile: { type: 'Localhost', localhostProfile: 'p' } })).toMatchObject({
      apparmor: { profileType: SecurityProfile_ProfileType.Localhost, localhostRef: 'p' },
      apparmorProfile: 'localhost/p',
    });
  });

  it('masks the kernel’s files unless they are unmasked', () => {
    expect(contextOf({}).maskedPaths).toEqual(expect.arrayContaining(['/proc/kcore', '/sys/thermal']));
    expect(contextOf({ procMount: 'Unmasked' })).toMatchObject({ maskedPaths: [], readonlyPaths: [] });
  });

  it('includes groups and SELinux labels', () => {
    const securityContext = {
      fsGroup: 3000,
      supplementalGroups: [4000],
      supplementalGroupsPolicy: 'Strict',
      seLinuxOptions: { level: 's0:c1,c2' },
    } as const;
    expect(contextOf({}, { securityContext })).toMatchObject({
      supplementalGroups: [3000n, 4000n],
      supplementalGroupsPolicy: SupplementalGroupsPolicy.Strict,
      selinuxOptions: { user: '', level: 's0:c1,c2' },
    });
  });
});

describe('sandboxSecurityContext', () => {
  it('is privileged when any container is', () => {
    const privileged = { securityContext: { privileged: true } };
    expect(sandboxSecurityContext(testPod({ initContainers: [privileged] }), nodeUsers).privileged).toBe(true);
    expect(sandboxSecurityContext(testPod(), nodeUsers).privileged).toBe(false);
  });
});

describe('verifyRunAsNonRoot', () => {
  const verify =
    (own: SecurityContext, image: ImageUser, ofPod = {}) =>
    () =>
      verifyRunAsNonRoot(testPod({ spec: { securityContext: ofPod } }), testContainer({ securityContext: own }), image);
  const where = '(pod: "web_default(uid-web)", container: app)';

  it('accepts users other than root, and any user without runAsNonRoot', () => {
    expect(verify({}, { uid: 0n })).not.toThrow();
    expect(verify({ runAsNonRoot: true }, { uid: 1001n })).not.toThrow();
    expect(verify({ runAsNonRoot: true, runAsUser: 5 }, { uid: 0n })).not.toThrow();
    expect(verify({ runAsNonRoot: false }, { uid: 0n }, { runAsNonRoot: true })).not.toThrow();
  });

  it.each<[SecurityContext, ImageUser, string]>([
    [{ runAsUser: 0 }, { uid: 5n }, `container's runAsUser breaks non-root policy ${where}`],
    [{}, { uid: 0n }, `container has runAsNonRoot and image will run as root ${where}`],
    [
      {},
      { username: 'app' },
      `container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root ${where}`,
    ],
    [{}, { uid: 2n ** 31n }, `container has runAsNonRoot and image has an invalid user id (2147483648) ${where}`],
  ])('rejects %o on an image with %o', (own, image, message) => {
    expect(verify(own, image, { runAsNonRoot: true })).toThrow(message);
  });
});
