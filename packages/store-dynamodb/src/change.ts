import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { attribute, type Value } from './attributes.js';

/** What an update asks of the item before it changes it. `null`: the attribute is not there. */
export type Conditions = Readonly<Record<string, Value | null>>;

export interface Change {
  readonly set?: Readonly<Record<string, Value>>;
  readonly remove?: readonly string[];
  readonly add?: Readonly<Record<string, number>>;
}

export interface Expressions {
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, AttributeValue>;
}

/** The expressions of a conditional update. Every name is a placeholder, so that none can be a reserved word. */
export function expressionsOf(change: Change, conditions: Conditions): Expressions {
  const names = new Map<string, string>();
  const values: Record<string, AttributeValue> = {};
  const name = (of: string) => {
    const known = names.get(of) ?? `#n${names.size}`;
    names.set(of, known);
    return known;
  };
  const value = (of: Value) => {
    const placeholder = `:v${Object.keys(values).length}`;
    values[placeholder] = attribute(of);
    return placeholder;
  };
  const sets = Object.entries(change.set ?? {}).map(([of, to]) => `${name(of)} = ${value(to)}`);
  const removes = (change.remove ?? []).map(name);
  const adds = Object.entries(change.add ?? {}).map(([of, by]) => `${name(of)} ${value(by)}`);
  const update = [
    ...(sets.length > 0 ? [`SET ${sets.join(', ')}`] : []),
    ...(removes.length > 0 ? [`REMOVE ${removes.join(', ')}`] : []),
    ...(adds.length > 0 ? [`ADD ${adds.join(', ')}`] : []),
  ].join(' ');
  const condition = Object.entries(conditions)
    .map(([of, is]) => (is === null ? `attribute_not_exists(${name(of)})` : `${name(of)} = ${value(is)}`))
    .join(' AND ');
  return {
    ...(update && { UpdateExpression: update }),
    ...(condition && { ConditionExpression: condition }),
    ...(names.size > 0 && {
      ExpressionAttributeNames: Object.fromEntries([...names].map(([of, placeholder]) => [placeholder, of])),
    }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}
