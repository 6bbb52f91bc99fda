import type { CertificateSigningRequest } from '@rxlet/kube-api';
import type { ObjectRules } from './rule-context.ts';

/** Certificate signing requests: the server records who asks; the approval has only the conditions, the status only the rest. */
export const certificateRequestRules: ObjectRules = {
  create(object, { user }) {
    const { spec } = object as unknown as CertificateSigningRequest;
    const identity = {
      username: user.name,
      groups: [...user.groups],
      ...(user.uid !== undefined && { uid: user.uid }),
    };
    return { ...object, spec: { ...spec, ...identity }, status: {} };
  },
  update(next, previous, subresource) {
    const [status, before] = [next.status, previous.status] as readonly (
      CertificateSigningRequest['status'] | undefined
    )[];
    if (subresource === undefined) return next;
    const merged =
      subresource === 'approval' ? { ...before, conditions: status?.conditions } : { ...before, ...status };
    return { ...next, spec: previous.spec, status: merged };
  },
};
