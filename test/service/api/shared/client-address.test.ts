import { describe, expect, it } from "vitest";
import { clientAddress } from "../../../../src/service/api/shared/client-address.ts";

const from = (peer: string) => clientAddress({ peer, forwardedFor: undefined }, 0);

describe("clientAddress", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::ffff", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:1::2:3:4:5", "2001:db8:1:0::/64"],
    ["2001:db8:1:2::203.0.113.7", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
  ])("counts %s as %s", (peer, address) => {
    expect(from(peer)).toBe(address);
  });

  it("counts a request whose peer has gone already", () => {
    expect(clientAddress({ peer: undefined, forwardedFor: undefined }, 0)).toBe("unknown");
  });

  it("believes as many proxies as it is told to, whatever the client wrote before them", () => {
    const forwardedFor = "198.51.100.9, 2001:db8:1:2::3 , 203.0.113.7";
    const behind = (hops: number) => clientAddress({ peer: "10.0.0.1", forwardedFor }, hops);
    expect([0, 1, 2].map(behind)).toEqual(["10.0.0.1", "203.0.113.7", "2001:db8:1:2::/64"]);
    expect(behind(9)).toBe("10.0.0.1");
    expect(clientAddress({ peer: "10.0.0.1", forwardedFor: undefined }, 1)).toBe("10.0.0.1");
  });

  it.each([
    ["203.0.113.7:49152", "203.0.113.7"],
    ["[2001:db8:1:2::3]:49152", "2001:db8:1:2::/64"],
  ])("leaves out the port that a proxy wrote: %s", (forwardedFor, address) => {
    expect(clientAddress({ peer: "10.0.0.1", forwardedFor }, 1)).toBe(address);
  });
});
