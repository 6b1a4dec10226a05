import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** An item as the service gives it. */
export type Item = Record<string, AttributeValue>;

export type Value = string | number;

export function attribute(value: Value): AttributeValue {
  return typeof value === 'number' ? { N: String(value) } : { S: value };
}

export function item(values: Readonly<Record<string, Value>>): Item {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, attribute(value)]));
}

export function text(from: Item, name: string): string | undefined {
  return from[name]?.S;
}

export function number(from: Item, name: string): number | undefined {
  const digits = from[name]?.N;
  return digits === undefined ? undefined : Number(digits);
}
