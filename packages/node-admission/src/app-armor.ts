import type { AdmissionHandler } from '@rxlet/agent-api';
import type { AppArmorProfile, Pod } from '@rxlet/kube-api';
import type { HostFiles } from '@rxlet/node-files';
import { podContainers } from '@rxlet/pod-model';

const ANNOTATION_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
const MAX_PARAMETER_BYTES = 4096;

/** Creates the handler that rejects pods with AppArmor profiles on a node whose kernel does not enforce them (kubelet: appArmorAdmitHandler). */
export function createAppArmorAdmission(files: Pick<HostFiles, 'read' | 'stat'>): AdmissionHandler {
  return {
    name: 'app-armor',
    async admit(pod) {
      // The containers of a pod that has started keep their profiles.
      if ((pod.status?.phase ?? 'Pending') !== 'Pending' || !requiresAppArmor(pod)) return undefined;
      if (await isAppArmorEnabled(files)) return undefined;
      return { reason: 'AppArmor', message: 'Cannot enforce AppArmor: AppArmor is not enabled on the host' };
    },
  };
}

/** Reports whether a profile other than `Unconfined` is set for the pod or for one of its containers. */
export function requiresAppArmor(pod: Pod): boolean {
  if (isConfined(pod.spec?.securityContext?.appArmorProfile)) return true;
  if (podContainers(pod).some(({ container }) => isConfined(container.securityContext?.appArmorProfile))) return true;
  const annotation = Object.entries(pod.metadata?.annotations ?? {}).find(([key]) => key.startsWith(ANNOTATION_PREFIX));
  return annotation !== undefined && annotation[1] !== 'unconfined';
}

function isConfined(profile: AppArmorProfile | undefined): boolean {
  return profile !== undefined && profile.type !== 'Unconfined';
}

async function isAppArmorEnabled(files: Pick<HostFiles, 'read' | 'stat'>): Promise<boolean> {
  if ((await files.stat('/sys/kernel/security/apparmor')) === undefined) return false;
  const parameter = await files.read('/sys/module/apparmor/parameters/enabled', MAX_PARAMETER_BYTES);
  return parameter !== undefined && Buffer.from(parameter.bytes).toString().startsWith('Y');
}
