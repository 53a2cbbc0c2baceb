/** A certificate for 127.0.0.1 that no authority has signed, and its key, which protects nothing. */
export const selfSigned = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcfGblXcY1zJK+xrv
HZ+LrMM3WpqRWr539R4KxPRCUy6hRANCAAQd8J/hsf+yzvh/CybXGtNC2W8gr/ne
L3mxf0z8tKKwFBi0GjUq+PCqXkjWuYMu7xdfeF/ZSexe7IS/NdTvZmT9
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUEcAscRgaxe3Ss7Rp4ujgwXwrvo0wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjAxMzQwNVoYDzIxMjYxMDI5
MDEzNDA1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQd8J/hsf+yzvh/CybXGtNC2W8gr/neL3mxf0z8tKKwFBi0GjUq+PCq
XkjWuYMu7xdfeF/ZSexe7IS/NdTvZmT9o28wbTAdBgNVHQ4EFgQUgsCQHaomxKJn
zAIpBicw5yoYHoYwHwYDVR0jBBgwFoAUgsCQHaomxKJnzAIpBicw5yoYHoYwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSAAwRQIhALXmjiuU1MFhiTqqM7IZmFI1azigZ97AJPhk0xGk4v/BAiBS
HpnyeL8Dzo1ELzwAUIlNJiiZIJGc5sf+lY20/yJUSQ==
-----END CERTIFICATE-----`,
};
