import { ApiError } from '../api-error.ts';
import type { ObjectRequest, Verb } from '../request/parse-request.ts';
import { qualifiedName } from '../resource-type.ts';
import type { User } from './user.ts';

/** Attributes of a request on which authorization decides, as in a SubjectAccessReview. */
export interface AccessRequest {
  readonly user: User;
  readonly verb: Verb;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  /** Values that the field selector of a list or watch requires. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Permission, or the reason for which there is none (may be empty). */
export type AccessDecision = { readonly isAllowed: true } | { readonly isAllowed: false; readonly reason: string };

/** Decides on requests for objects. */
export type Authorizer = (request: AccessRequest) => AccessDecision;

/** Permits everything to everybody. */
export const allowAll: Authorizer = () => ({ isAllowed: true });

/** Returns the access request of a request for objects. */
export function accessOf(user: User, request: ObjectRequest): AccessRequest {
  const { verb, type, namespace, name, subresource, fieldRequirements } = request;
  const fields = fieldRequirements.filter(({ isNegated }) => !isNegated).map(({ field, value }) => [field, value]);
  return {
    user,
    verb,
    group: type.group,
    resource: type.plural,
    subresource,
    // A namespace is in itself, so that roles in it may permit to read it.
    namespace: namespace ?? (type.plural === 'namespaces' ? name : undefined),
    name,
    fields: Object.fromEntries(fields) as Record<string, string>,
  };
}

/** Returns the failure of a request that is not permitted. */
export function forbidden(access: AccessRequest, request: ObjectRequest, reason: string): ApiError {
  const { user, verb, group, resource, subresource, namespace, name } = access;
  const path = subresource === undefined ? resource : `${resource}/${subresource}`;
  const place = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const object = name === undefined ? '' : ` "${name}"`;
  const why = reason === '' ? '' : `: ${reason}`;
  return new ApiError(
    'Forbidden',
    `${qualifiedName(request.type)}${object} is forbidden: User "${user.name}" cannot ${verb} resource "${path}" in API group "${group}" ${place}${why}`,
    { type: request.type, name },
  );
}
